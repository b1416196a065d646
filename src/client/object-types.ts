/**
 * The types of objects that clients read and write. An object that was read is deeply readonly, because a cache may
 * share it; `draft` makes a modifiable copy.
 */
import type { ObjectMeta } from '../kinds/api/meta/v1.ts';

/** The fields that every object has. */
export interface ObjectBase {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object of a kind without a TypeScript type. */
export interface UntypedObject extends ObjectBase {
  [field: string]: unknown;
}

type Leaf = string | number | bigint | boolean | null | undefined;

/** Makes T readonly at every depth. `unknown` stays `unknown`. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? readonly DeepReadonly<Item>[]
      : { readonly [Field in keyof T]: DeepReadonly<T[Field]> };

/** Makes the fields of T optional at every depth, except for the items of lists, which must have their key fields. */
export type DeepPartial<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? readonly DeepPartial<Item>[]
      : { readonly [Field in keyof T]?: DeepPartial<T[Field]> };

/** The metadata that a server has filled in. */
export interface StoredMeta extends DeepReadonly<ObjectMeta> {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The type of the field `Name` of T without undefined; string if T does not declare it. */
type TextField<T, Name extends string> = string &
  (T extends { readonly [Field in Name]?: infer Text } ? (unknown extends Text ? string : NonNullable<Text>) : string);

/** An object as a server returned it. `apiVersion` and `kind` are present, also in items of lists and caches. */
export type Stored<T> = DeepReadonly<Omit<T, keyof ObjectBase>> & {
  readonly apiVersion: TextField<T, 'apiVersion'>;
  readonly kind: TextField<T, 'kind'>;
  readonly metadata: StoredMeta;
};

/** A configuration for server-side apply: the fields that the manager wants to own. */
export type Applied<T> = DeepPartial<Omit<T, keyof ObjectBase>> & {
  readonly metadata: DeepPartial<ObjectMeta> & { readonly name: string };
};

/** The type of a modifiable copy of an object, as `draft` makes it. */
export type Draft<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? Draft<Item>[]
      : { -readonly [Field in keyof T]: Draft<T[Field]> };
