/**
 * Actions: operations on one object besides create, read, update and delete. `POST .../<plural>/<name>/<action>` with a
 * body calls the handler and answers with its result. The user needs the permission to `create` `<plural>/<action>`.
 */
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { HookContext } from './hook-context.ts';
import type { ObjectIdentity } from './resource-object.ts';
import type { SchemaSource, ValueOf } from './schema-source.ts';

export interface ActionContext<T> extends HookContext {
  /**
   * Changes the stored object: `change` gets a copy of its newest state, which it may modify in place. The change may
   * concern spec and status. The schema and `validate` check the result. Repeated if another write comes first. Stores
   * nothing in a dry run. Resolves with the object as stored. Rejects with the StatusError of a refusal, or with what
   * `change` throws.
   */
  update(change: (object: T) => void): Promise<T>;
}

/** An action of objects of type `T`. `Body` is the schema of its body. */
export interface ResourceAction<T, Body extends SchemaSource = SchemaSource> {
  /** The schema of the request's body, beside `apiVersion` and `kind`, which clients may leave out. */
  readonly body: Body;
  /** The schema of the result, for OpenAPI. Results are not validated. Default: any object. */
  readonly result?: SchemaSource;
  /** The kind of the body. The kind of the result is `<kind>Result`. Default: kind and action, `AccountTransfer`. */
  readonly kind?: string;
  /** The description of the operation in OpenAPI. Default: made from the names. */
  readonly description?: string;
  /**
   * Runs the action. Called after mutating admission, with a copy of the stored object and a body that its schema
   * accepts. The result is the answer, with `apiVersion` and `kind` added; undefined answers with a Status of success.
   * Throws a StatusError to refuse.
   */
  run(object: T, body: ValueOf<Body>, context: ActionContext<T>): MaybePromise<object | undefined>;
}

/**
 * Declares an action in one call. TypeScript cannot infer the type of `object` here: annotate it, or write the action
 * as an object `{ body, run }`, whose parameters are inferred.
 */
export function action<const Body extends SchemaSource, T = ObjectIdentity>(
  body: Body,
  run: (object: T, body: ValueOf<Body>, context: ActionContext<T>) => MaybePromise<object | undefined>,
  options: Pick<ResourceAction<T, Body>, 'result' | 'kind' | 'description'> = {},
): ResourceAction<T, Body> {
  return { ...options, body, run };
}
