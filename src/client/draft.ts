/** Copies of objects that may be modified, and the text of objects. */
import { cloneJson, type JsonValue } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import type { Draft } from './object-types.ts';

/**
 * A deep copy that may be modified and sent back: `const next = draft(pod); next.metadata.labels = {}`. The object of a
 * cache is frozen, its draft is not.
 */
export function draft<T extends object>(object: T): Draft<T> {
  return cloneJson(object as unknown as JsonValue) as Draft<T>;
}

/**
 * The JSON text of a value, with every digit of a bigint, where `JSON.stringify` throws. Fields that are undefined are
 * left out. `indent` is the number of spaces per level. Default 0: one line.
 */
export function stringify(value: unknown, options: { readonly indent?: number } = {}): string {
  return writeJson(value as JsonValue, { escapeHtml: false, indent: options.indent ?? 0 });
}
