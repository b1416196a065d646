/** Compares merge types made of our type views with those that the reference makes of OpenAPI documents. */
import type { MergeType } from '../../src/apimachinery/apply/merge-type.ts';
import { equalJson, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';

/** Visits each pair of types once, however often types refer to each other. */
export class TypeComparison {
  readonly differences: string[] = [];
  /** Pairs of types that were compared. */
  pairs = 0;
  readonly #seen = new Map<MergeType, Set<MergeType>>();

  compare(ours: MergeType | undefined, theirs: MergeType | undefined, path: string): void {
    if (ours === undefined || theirs === undefined) {
      if (ours !== theirs)
        this.#report(path, ours === undefined ? 'none' : 'a type', theirs === undefined ? 'none' : 'a type');
      return;
    }
    const known = this.#seen.get(ours) ?? new Set();
    if (known.has(theirs)) return;
    this.#seen.set(ours, known.add(theirs));
    this.pairs++;
    this.#same(`${path} scalar`, ours.scalar ?? '', theirs.scalar ?? '');
    this.#same(`${path} list`, ours.list?.relation ?? '', theirs.list?.relation ?? '');
    this.#same(`${path} keys`, [...(ours.list?.keys ?? [])], [...(theirs.list?.keys ?? [])]);
    this.compare(ours.list?.items, theirs.list?.items, `${path}[]`);
    this.#same(`${path} map`, describeMap(ours), describeMap(theirs));
    this.compare(ours.map?.values, theirs.map?.values, `${path}{}`);
    for (const [name, field] of ours.map?.fields ?? []) {
      const other = theirs.map?.fields.get(name);
      this.#same(`${path}.${name} default`, field.defaultValue ?? null, other?.defaultValue ?? null);
      this.compare(field.type, other?.type, `${path}.${name}`);
    }
  }

  #same(what: string, ours: JsonValue, theirs: JsonValue): void {
    if (!equalJson(ours, theirs)) this.#report(what, writeJson(ours), writeJson(theirs));
  }

  #report(what: string, ours: string, theirs: string): void {
    this.differences.push(`${what}: ours ${ours}, theirs ${theirs}`);
  }
}

function describeMap({ map }: MergeType): JsonValue {
  return map === undefined ? '' : [map.atomic, ...[...map.fields.keys()].sort()];
}
