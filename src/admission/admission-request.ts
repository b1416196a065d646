/** The AdmissionRequest of a write: what webhooks receive, and what expressions read as `request`. */
import type { GroupVersionKind, GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { AdmissionAttributes } from '../server/admission.ts';
import type { HookView } from './matching/match-index.ts';

/** Returns the request without `uid`, `object` and `oldObject`. Its fields are in the order of kube-apiserver. */
export function admissionRequestOf(attributes: AdmissionAttributes, { resource, kind }: HookView): JsonObject {
  const { subresource, name, namespace } = attributes;
  const { options } = attributes;
  return {
    kind: kindObject(kind),
    resource: resourceObject(resource),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindObject(attributes.kind),
    requestResource: resourceObject(attributes.resource),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation: attributes.operation,
    userInfo: userObject(attributes.user),
    dryRun: attributes.dryRun,
    options: attributes.operation === 'CONNECT' ? null : options,
  };
}

function kindObject({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function resourceObject({ group, version, resource }: GroupVersionResource): JsonObject {
  return { group, version, resource };
}

function userObject({ name, uid, groups, extra }: UserInfo): JsonObject {
  const keys = Object.keys(extra);
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  };
}
