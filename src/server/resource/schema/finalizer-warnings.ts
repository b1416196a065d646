/**
 * Warnings about the names of finalizers that an object gets. Only finalizers that the write adds are checked, in the
 * order of their names.
 */
import { quote } from '../../../apimachinery/go-format.ts';
import { finalizersOf } from '../../../apimachinery/meta/meta.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { compareUtf8 } from '../../../base/utf8.ts';

const STANDARD: ReadonlySet<string> = new Set(['kubernetes', FINALIZER_FOREGROUND, FINALIZER_ORPHAN]);
const NONE: readonly string[] = [];

/** `old` is undefined for a new object. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const finalizers = finalizersOf(object);
  if (finalizers.length === 0) return NONE;
  const before = new Set(old === undefined ? NONE : finalizersOf(old));
  const added = [...new Set(finalizers)].filter((name) => !before.has(name)).sort(compareUtf8);
  return added.flatMap((name) =>
    complaints(name).map((complaint) => `metadata.finalizers: ${quote(name)}: ${complaint}`),
  );
}

function complaints(name: string): readonly string[] {
  const wrong = checkQualifiedName(name);
  if (name.includes('/') || STANDARD.has(name)) return wrong;
  const path = name.includes('.') ? ' including a path (/)' : '';
  const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  return [...wrong, advice];
}
