/**
 * The token of a kind: a small value that names its resource and carries the type of its objects. Invariant: the type exists at compile
 * time only, so a token is as cheap as the five words in it.
 */

/** Whether objects of a kind live in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

declare const objectType: unique symbol;

export interface Kind<T, S extends Scope = Scope> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The resource in paths: `deployments`. */
  readonly plural: string;
  readonly scope: S;
  /** Never there; it is what `ObjectOf` reads. */
  readonly [objectType]?: T;
}

/** The type of a kind's objects: `ObjectOf<typeof Pod>` is `Pod`. */
export type ObjectOf<K extends Kind<unknown>> = K extends Kind<infer T> ? T : never;
