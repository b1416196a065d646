/**
 * The sharing of equal `fieldsV1` values between the objects of a store. The objects of a collection mostly have the
 * same fields from the same managers, and V8 takes more than a kilobyte for the `fieldsV1` of a small object. Invariant:
 * a shared value is equal to the one that it replaces, and is frozen.
 */
import { deepFreeze } from './deep-freeze.ts';
import type { Stored } from './object-types.ts';

/** The bound of the values that are kept for comparison. */
const MAX_KEPT = 64;

interface Entry {
  readonly manager?: string;
  readonly subresource?: string;
  fieldsV1?: unknown;
}

export class FieldsSharing {
  /** The last value of each manager and subresource. */
  readonly #kept = new Map<string, object>();

  /** Replaces the values of an object that is not frozen. */
  share(object: Stored<unknown>): void {
    const entries = object.metadata.managedFields as readonly Entry[] | undefined;
    if (!Array.isArray(entries)) return;
    for (const entry of entries as readonly Entry[]) {
      const { fieldsV1 } = entry;
      if (typeof fieldsV1 !== 'object' || fieldsV1 === null || Object.isFrozen(entry)) continue;
      const key = `${entry.manager}/${entry.subresource}`;
      const kept = this.#kept.get(key);
      if (kept !== undefined && isEqual(kept, fieldsV1)) entry.fieldsV1 = kept;
      else this.#keep(key, fieldsV1);
    }
  }

  #keep(key: string, fields: object): void {
    if (this.#kept.size >= MAX_KEPT && !this.#kept.has(key)) this.#kept.clear();
    this.#kept.set(key, deepFreeze(fields));
  }
}

/** Whether two sets of fields, which are objects all the way down, are equal. Others count as different. */
function isEqual(a: object, b: object): boolean {
  let more = 0;
  for (const key in a) {
    const part = (a as Fields)[key];
    const other = (b as Fields)[key];
    if (typeof part !== 'object' || part === null || typeof other !== 'object' || other === null) return false;
    if (!isEqual(part, other)) return false;
    more++;
  }
  for (const _key in b) more--;
  return more === 0;
}

type Fields = Readonly<Record<string, unknown>>;
