/**
 * The plugin OwnerReferencesPermissionEnforcement, disabled by default. A user who changes owner references must be
 * allowed to delete the object. A user who sets blockOwnerDeletion must be allowed to update the owner's finalizers.
 * Invariant: requests that change no owner reference are not checked.
 */

import { refusal } from '../../admission/refusal.ts';
import { type GroupVersionKind, parseGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { metadataOf, type OwnerReference, ownerReferencesOf } from '../../apimachinery/meta/meta.ts';
import { listAt } from '../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../../server/authorizer.ts';

/** Returns the plural of a kind and whether it is namespaced, and undefined for an unknown kind. */
export type OwnerKind = (
  kind: GroupVersionKind,
) => { readonly plural: string; readonly namespaced: boolean } | undefined;

export function ownerReferencesPermissionEnforcement(ownerKind: OwnerKind, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject } = attributes;
      if (object === undefined || isStatusOfPod(attributes)) return undefined;
      if (equalJson(references(object), oldObject === undefined ? [] : references(oldObject))) return undefined;
      return enforce(ownerKind, authorizer, attributes, object);
    },
  };
}

/** Kubelets write the status of pods often; it cannot change owner references. */
function isStatusOfPod({ resource, subresource }: AdmissionAttributes): boolean {
  return resource.group === '' && resource.resource === 'pods' && subresource === 'status';
}

function references(object: JsonObject): JsonValue {
  const metadata = metadataOf(object);
  return metadata === undefined ? [] : [...listAt(metadata, 'ownerReferences')];
}

async function enforce(
  ownerKind: OwnerKind,
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  object: JsonObject,
): Promise<void> {
  const { resource, subresource, namespace, name, operation } = attributes;
  const ask = (asked: Partial<RequestAttributes>): Promise<AuthorizationResult> =>
    Promise.resolve(authorizer.authorize({ ...BLANK, user: attributes.user, ...asked }));
  if (operation === 'UPDATE') {
    const { group, version, resource: plural } = resource;
    const asked = {
      verb: 'delete',
      namespace,
      apiGroup: group,
      apiVersion: version,
      resource: plural,
      subresource,
      name,
    };
    const answer = await ask(asked);
    if (answer.decision !== 'allow')
      throw refusal(attributes, `cannot set an ownerRef on a resource you can't delete: ${formatResult(answer)}`);
  }
  const blocking = newBlockingReferences(object, attributes.oldObject);
  if (blocking.length === 0) return;
  const any = { verb: 'update', apiGroup: '*', apiVersion: '*', resource: '*', subresource: 'finalizers', name: '*' };
  if ((await ask(any)).decision === 'allow') return;
  for (const owner of blocking) {
    const { apiVersion = '', kind = '' } = owner;
    const parsed = parseGroupVersion(apiVersion);
    const found = parsed.ok ? ownerKind({ ...parsed.value, kind }) : undefined;
    if (!parsed.ok || found === undefined) {
      const why = parsed.ok ? `no matches for kind "${kind}" in version "${apiVersion}"` : parsed.message;
      const because = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`;
      throw refusal(attributes, because);
    }
    const { group, version } = parsed.value;
    const answer = await ask({
      verb: 'update',
      namespace: found.namespaced ? namespace : '',
      apiGroup: group,
      apiVersion: version,
      resource: found.plural,
      subresource: 'finalizers',
      name: owner.name ?? '',
    });
    if (answer.decision === 'allow') continue;
    const because = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${formatResult(answer)}`;
    throw refusal(attributes, because);
  }
}

const BLANK: Omit<RequestAttributes, 'user'> = {
  verb: '',
  namespace: '',
  apiGroup: '',
  apiVersion: '',
  resource: '',
  subresource: '',
  name: '',
  path: '',
  isResourceRequest: true,
};

/** Prints reason and error as Go's `%v, %v` does. */
function formatResult({ reason, error }: AuthorizationResult): string {
  return `${reason}, ${error === '' ? '<nil>' : error}`;
}

function newBlockingReferences(object: JsonObject, old: JsonObject | undefined): readonly OwnerReference[] {
  const before = new Map((old === undefined ? [] : ownerReferencesOf(old)).map((owner) => [owner.uid, owner]));
  return ownerReferencesOf(object).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}
