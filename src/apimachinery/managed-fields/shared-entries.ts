/**
 * Shared managedFields of new objects. The objects that one manager creates within a second mostly have equal
 * managedFields. These are made once, and so are their JSON bytes and their protobuf form. Invariant: shared entries
 * are frozen.
 */
import type { JsonArray, JsonObject } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';

/** The manager and the time of a create. */
interface Creator {
  readonly manager: string;
  readonly now: string;
}

interface Known extends Creator {
  readonly entries: JsonArray;
}

const encoded = new WeakMap<JsonArray, Uint8Array>();

/** The JSON bytes of managedFields that more than one object has; undefined for others. */
export function sharedEntriesBytes(entries: JsonArray): Uint8Array | undefined {
  return encoded.get(entries);
}

const inProtobuf = new WeakMap<JsonArray, Uint8Array>();

/** The protobuf form of a list that `keepProtobuf` was called with; undefined for others. */
export function protobufOfShared(list: JsonArray): Uint8Array | undefined {
  return inProtobuf.get(list);
}

/** Keeps the fields of ObjectMeta that encode the list, with their tags. Does nothing unless the entries are shared. */
export function keepProtobuf(list: JsonArray, encode: () => Uint8Array): void {
  if (encoded.has(list)) inProtobuf.set(list, encode());
}

/** The managedFields of the objects that a field manager sees created. */
export class SharedEntries {
  /** By the FieldsV1 of the creator, the entries that were made last. */
  readonly #known = new WeakMap<JsonObject, Known>();

  /**
   * Returns the managedFields of a new object. `make` returns the entry; it is called if the last object with the same
   * fields had another manager or time. The result must not be modified.
   */
  of(fields: JsonObject, { manager, now }: Creator, make: () => JsonObject): JsonArray {
    const known = this.#known.get(fields);
    if (known?.now !== now || known.manager !== manager) {
      const entries: JsonArray = [Object.freeze(make())];
      this.#known.set(fields, { manager, now, entries: Object.freeze(entries) as JsonArray });
      return entries;
    }
    const { entries } = known;
    if (!encoded.has(entries)) encoded.set(entries, writeJsonBytes(entries));
    return entries;
  }
}
