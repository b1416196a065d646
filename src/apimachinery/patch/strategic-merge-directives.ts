/** The directives of strategic merge patches: keys that are instructions, not fields. */
import type { JsonObject } from '../../base/json-value.ts';
import { getField } from '../../base/json-value.ts';
import type { MergeRun } from './strategic-merge-run.ts';
import { BAD_ELEMENT_ORDER, BAD_PRIMITIVE_LIST } from './strategic-merge-run.ts';

/**
 * In an object: replace it by the rest of the patch, or empty it. In a list element: replace the list, or delete the
 * element.
 */
export const DIRECTIVE = '$patch';
/** The fields to keep. All others are cleared. */
export const RETAIN_KEYS = '$retainKeys';
/** `$setElementOrder/<field>`: the order of the field's elements. */
export const SET_ELEMENT_ORDER = '$setElementOrder';
/** `$deleteFromPrimitiveList/<field>`: scalars to remove from the field. */
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';

/** Whether an element of a patch list deletes its counterpart. */
export function isDeletion(element: JsonObject): boolean {
  return getField(element, DIRECTIVE) === 'delete';
}

/** The field of a key such as `$setElementOrder/containers`. Undefined, with the failure set, if it names none. */
export function directiveField(
  run: MergeRun,
  key: string,
  prefix: typeof SET_ELEMENT_ORDER | typeof DELETE_FROM_PRIMITIVE_LIST,
): string | undefined {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  return run.fail(prefix === SET_ELEMENT_ORDER ? BAD_ELEMENT_ORDER : BAD_PRIMITIVE_LIST);
}
