/**
 * The token of a kind: a small value that names a resource and carries the type of its objects. The type exists at
 * compile time only.
 */

/** Whether the objects of a kind live in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

declare const objectType: unique symbol;

export interface Kind<T, S extends Scope = Scope> {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The resource in paths, such as `deployments`. */
  readonly plural: string;
  readonly scope: S;
  /** Never set. Only `ObjectOf` reads its type. */
  readonly [objectType]?: T;
}

/** The type of a kind's objects: `ObjectOf<typeof Pod>` is `Pod`. */
export type ObjectOf<K extends Kind<unknown>> = K extends Kind<infer T> ? T : never;
