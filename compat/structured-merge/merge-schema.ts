/** Merge types made of recorded schemas. */

import {
  ListType,
  MapType,
  type MergeField,
  MergeType,
  type ScalarKind,
} from '../../src/apimachinery/apply/merge-type.ts';
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';

/** A schema of named types. A type that a schema does not have is an error of the call that needs it. */
export class RecordedSchema {
  readonly #atoms = new Map<string, JsonObject>();
  readonly #types = new Map<string, MergeType>();

  constructor(types: readonly JsonObject[]) {
    for (const type of types) this.#atoms.set(type['name'] as string, type['atom'] as JsonObject);
  }

  /** Undefined for an empty reference, which stands for no type. */
  typeOf(reference: JsonObject): MergeType | undefined {
    if (Object.keys(reference).length === 0) return undefined;
    const key = JSON.stringify(reference);
    let type = this.#types.get(key);
    if (type === undefined) {
      type = this.#make(reference);
      this.#types.set(key, type);
    }
    return type;
  }

  #make(reference: JsonObject): MergeType {
    const name = reference['named'] as string | undefined;
    const atom = name === undefined ? (reference['inlined'] as JsonObject) : this.#atoms.get(name);
    if (atom === undefined) throw new Error(`no type ${name}`);
    const override = reference['relationship'] as string | undefined;
    // A relationship of what is neither a list nor a map makes a type that no value has.
    if (override !== undefined && atom['list'] === undefined && atom['map'] === undefined) return new MergeType({});
    return new MergeType({
      scalar: atom['scalar'] as ScalarKind | undefined,
      list: atom['list'] === undefined ? undefined : this.#list(atom['list'] as JsonObject, override),
      map: atom['map'] === undefined ? undefined : this.#map(atom['map'] as JsonObject, override),
    });
  }

  #list(list: JsonObject, override: string | undefined): ListType {
    const keys = (list['keys'] ?? []) as string[];
    const relationship = override ?? list['relationship'];
    return new ListType({
      relation: relationship !== 'associative' ? 'atomic' : keys.length > 0 ? 'map' : 'set',
      keys,
      items: () => this.typeOf(list['items'] as JsonObject) as MergeType,
    });
  }

  #map(map: JsonObject, override: string | undefined): MapType {
    const isAtomic = (override ?? map['relationship']) === 'atomic';
    return new MapType(isAtomic, () => {
      const fields = new Map<string, MergeField>();
      for (const field of map['fields'] as JsonObject[])
        fields.set(field['name'] as string, {
          type: this.typeOf(field['type'] as JsonObject) as MergeType,
          defaultValue: (field['default'] as JsonValue) ?? undefined,
        });
      return { fields, values: this.typeOf(map['values'] as JsonObject) };
    });
  }
}
