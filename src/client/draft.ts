/** Makes modifiable copies of objects, and formats objects as JSON. */
import { cloneJson, type JsonValue } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import type { Draft } from './object-types.ts';

/**
 * Returns a deep copy that may be modified and sent back: `const next = draft(pod); next.metadata.labels = {}`. Objects
 * of a cache are frozen; their drafts are not.
 */
export function draft<T extends object>(object: T): Draft<T> {
  return cloneJson(object as unknown as JsonValue) as Draft<T>;
}

/**
 * Formats a value as JSON. Bigints are allowed, unlike in `JSON.stringify`. Undefined fields are left out. `indent` is
 * the number of spaces per level. Default 0: one line.
 */
export function stringify(value: unknown, options: { readonly indent?: number } = {}): string {
  return writeJson(value as JsonValue, { escapeHtml: false, indent: options.indent ?? 0 });
}
