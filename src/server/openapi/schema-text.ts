/**
 * Schemas as text, so that a type that many documents have is written once. Invariant: a schema is written in a form
 * when that form is first asked for, and stays; the kinds that a type stands for differ from document to document and
 * are added to the text.
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

  /** `v2`: its form in OpenAPI v2; default: made from the other. */
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
  /** The kinds that it is the type of. */
  readonly kinds: readonly GroupVersionKind[];
}

const KINDS = '"x-kubernetes-group-version-kind":';

/** The text of a schema with the kinds behind it. */
export function withKinds(text: string, kinds: readonly GroupVersionKind[]): string {
  if (kinds.length === 0) return text;
  const list = kinds.map(({ group, version, kind }) => ({ group, kind, version }));
  const comma = text === '{}' ? '' : ',';
  return `${text.slice(0, -1)}${comma}${KINDS}${writeJson(list)}}`;
}

/** What `withKinds` was given, from what it gave. */
export function withoutKinds(text: string, onKind: (kind: GroupVersionKind) => void): string {
  const at = text.lastIndexOf(KINDS);
  if (at < 0) return text;
  for (const kind of JSON.parse(text.slice(at + KINDS.length, -1)) as GroupVersionKind[]) onKind(kind);
  return `${text.slice(0, text.charCodeAt(at - 1) === 0x2c ? at - 1 : at)}}`;
}

/** A type as it was written, and the types that it refers to. */
interface Known {
  readonly schema: SchemaText;
  readonly refers: readonly string[];
}

/** Types that several documents have. `accepts` says which are worth keeping as long as this is kept. */
export class SchemaCache {
  readonly #known = new Map<string, Known>();
  readonly #accepts: (typeName: string) => boolean;

  constructor(accepts: (typeName: string) => boolean) {
    this.#accepts = accepts;
  }

  /** A type is described otherwise where it is a kind. */
  get(typeName: string, isKind: boolean): Known | undefined {
    return this.#known.get(isKind ? `${typeName} ` : typeName);
  }

  keep(typeName: string, isKind: boolean, known: Known): void {
    if (this.#accepts(typeName)) this.#known.set(isKind ? `${typeName} ` : typeName, known);
  }
}
