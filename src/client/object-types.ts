/**
 * The types of objects that clients read and write. Invariant: an object that was read is deeply readonly, because a
 * cache may share it; `draft` makes a copy that may be modified.
 */
import type { ObjectMeta } from '../kinds/api/meta/v1.ts';

/** The fields that every object has. */
export interface ObjectBase {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object of a kind without a type of its own. */
export interface UntypedObject extends ObjectBase {
  [field: string]: unknown;
}

type Leaf = string | number | bigint | boolean | null | undefined;

/** A type that is not known stays unknown. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? readonly DeepReadonly<Item>[]
      : { readonly [Field in keyof T]: DeepReadonly<T[Field]> };

/** Optional at every depth. The items of lists stay whole: a list of a configuration has its key fields. */
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

/** The type of a field that T declares, without undefined; string if T does not declare it. */
type TextField<T, Name extends string> = string &
  (T extends { readonly [Field in Name]?: infer Text } ? (unknown extends Text ? string : NonNullable<Text>) : string);

/** An object as a server returned it. `apiVersion` and `kind` are present, also in items of lists and caches. */
export type Stored<T> = DeepReadonly<Omit<T, keyof ObjectBase>> & {
  readonly apiVersion: TextField<T, 'apiVersion'>;
  readonly kind: TextField<T, 'kind'>;
  readonly metadata: StoredMeta;
};

/** A configuration for server-side apply: the fields that its manager wants to own. */
export type Applied<T> = DeepPartial<Omit<T, keyof ObjectBase>> & {
  readonly metadata: DeepPartial<ObjectMeta> & { readonly name: string };
};

/** A copy of an object without `readonly`. Modifying it changes no cache. */
export type Draft<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? Draft<Item>[]
      : { -readonly [Field in keyof T]: Draft<T[Field]> };
