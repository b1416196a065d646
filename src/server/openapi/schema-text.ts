/**
 * Schemas as JSON text, so that a type of many documents is written once. Each form is written on its first access and
 * kept. The kinds of a type differ between documents and are appended to the text.
 */
import type { GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { schemaV2 } from './schema-v2.ts';

export class SchemaText {
  readonly #make: () => JsonObject;
  readonly #makeV2: () => JsonObject;
  #v3: string | undefined;
  #v2: string | undefined;

  /** `v2` returns the form for OpenAPI v2. Default: converted from v3. */
  constructor(v3: () => JsonObject, v2?: () => JsonObject) {
    this.#make = v3;
    this.#makeV2 = v2 ?? (() => schemaV2(v3()));
  }

  get v3(): string {
    this.#v3 ??= writeJson(this.#make());
    return this.#v3;
  }

  get v2(): string {
    this.#v2 ??= writeJson(this.#makeV2());
    return this.#v2;
  }
}

/** One named type of a document. */
export interface WrittenSchema {
  readonly name: string;
  readonly schema: SchemaText;
  /** The kinds whose type it is. */
  readonly kinds: readonly GroupVersionKind[];
}

const KINDS = '"x-kubernetes-group-version-kind":';

/** Appends the kinds to the text of a schema. */
export function withKinds(text: string, kinds: readonly GroupVersionKind[]): string {
  if (kinds.length === 0) return text;
  const list = kinds.map(({ group, version, kind }) => ({ group, kind, version }));
  const comma = text === '{}' ? '' : ',';
  return `${text.slice(0, -1)}${comma}${KINDS}${writeJson(list)}}`;
}

/** Reverses `withKinds`: returns the text of the schema and calls `onKind` for each kind. */
export function withoutKinds(text: string, onKind: (kind: GroupVersionKind) => void): string {
  const at = text.lastIndexOf(KINDS);
  if (at < 0) return text;
  for (const kind of JSON.parse(text.slice(at + KINDS.length, -1)) as GroupVersionKind[]) onKind(kind);
  return `${text.slice(0, text.charCodeAt(at - 1) === 0x2c ? at - 1 : at)}}`;
}

/** A written type with the names of the types that it references. */
interface Known {
  readonly schema: SchemaText;
  readonly refers: readonly string[];
}

/** Types that several documents share. `accepts` selects the types that are kept. */
export class SchemaCache {
  readonly #known = new Map<string, Known>();
  readonly #accepts: (typeName: string) => boolean;

  constructor(accepts: (typeName: string) => boolean) {
    this.#accepts = accepts;
  }

  /** Returns a cached type. `isKind` is part of the key, because the description of a type depends on it. */
  get(typeName: string, isKind: boolean): Known | undefined {
    return this.#known.get(isKind ? `${typeName} ` : typeName);
  }

  keep(typeName: string, isKind: boolean, known: Known): void {
    if (this.#accepts(typeName)) this.#known.set(isKind ? `${typeName} ` : typeName, known);
  }
}
