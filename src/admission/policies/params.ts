/** The parameters of a policy binding. */
import { formatGvk, type GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { PolicyBinding, PolicyParts } from './policy.ts';

/** The objects of one kind. Reads see every write that was answered before. */
export interface ParamObjects {
  readonly namespaced: boolean;
  /** Undefined for an object that does not exist. */
  get(namespace: string, name: string): MaybePromise<JsonObject | undefined>;
  /** Returns the objects of a namespace, or of a cluster-scoped kind, that a LabelSelector selects, ordered by name. */
  list(namespace: string, selector: JsonObject): MaybePromise<readonly JsonObject[]>;
}

/** Finds the objects of a kind; undefined for a kind that is not served. */
export type ParamKinds = (kind: GroupVersionKind) => MaybePromise<ParamObjects | undefined>;

/** `error` in kube-apiserver's words. `isPolicy`: the policy is misconfigured, not the binding. */
export type CollectedParams =
  /** Undefined stands for an evaluation without parameters. */
  { readonly params: readonly (JsonObject | undefined)[] } | { readonly error: string; readonly isPolicy?: boolean };

const WITHOUT_PARAMS: CollectedParams = { params: [undefined] };

/** Returns one entry for each evaluation of the policy. `namespace` is that of the request. */
export async function collectParams(
  kinds: ParamKinds,
  { paramKind }: PolicyParts,
  { paramRef }: PolicyBinding,
  namespace: string,
): Promise<CollectedParams> {
  if (paramKind === undefined) return WITHOUT_PARAMS;
  const objects = await kinds(paramKind);
  if (objects === undefined)
    return { error: `failed to find resource referenced by paramKind: '${formatGvk(paramKind)}'`, isPolicy: true };
  if (paramRef === undefined) return WITHOUT_PARAMS;
  let from = '';
  if (objects.namespaced) {
    from = paramRef.namespace || namespace;
    if (from === '')
      return { error: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  } else if (paramRef.namespace !== '')
    return { error: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const params = await found(objects, from, paramRef);
  if (params.length === 0 && paramRef.deniesIfMissing)
    return { error: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return { params };
}

async function found(
  objects: ParamObjects,
  namespace: string,
  { name, selector }: NonNullable<PolicyBinding['paramRef']>,
): Promise<readonly JsonObject[]> {
  if (name === '') return objects.list(namespace, selector ?? {});
  const object = await objects.get(namespace, name);
  return object === undefined ? [] : [object];
}
