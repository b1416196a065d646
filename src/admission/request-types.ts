/**
 * The CEL types of `request` and `namespaceObject` in expressions of admission policies and match conditions. Names and
 * fields are those of kube-apiserver's declarations, which leave out some fields of the API types.
 */
import { BOOL, type CelType, DYN, INT, listOf, mapOf, type ObjectType, STRING, TIMESTAMP } from '../cel/types.ts';

const TEXTS = listOf(STRING);
const TEXT_MAP = mapOf(STRING, STRING);

/** Returns an object type with these fields. */
export function declaredObject(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  return {
    kind: 'object',
    name,
    field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
    fieldNames: () => Object.keys(fields),
  };
}

const GVK = declaredObject('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const GVR = declaredObject('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER_INFO = declaredObject('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: TEXTS,
  extra: mapOf(STRING, TEXTS),
});

export const REQUEST: ObjectType = declaredObject('kubernetes.AdmissionRequest', {
  kind: GVK,
  resource: GVR,
  subResource: STRING,
  requestKind: GVK,
  requestResource: GVR,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER_INFO,
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE_SPEC = declaredObject('kubernetes.NamespaceSpec', { finalizers: TEXTS });
const NAMESPACE_CONDITION = declaredObject('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});
const NAMESPACE_STATUS = declaredObject('kubernetes.NamespaceStatus', {
  conditions: listOf(NAMESPACE_CONDITION),
  phase: STRING,
});
const NAMESPACE_METADATA = declaredObject('kubernetes.NamespaceMetadata', {
  name: STRING,
  generateName: STRING,
  namespace: STRING,
  labels: TEXT_MAP,
  annotations: TEXT_MAP,
  UID: STRING,
  creationTimestamp: TIMESTAMP,
  deletionGracePeriodSeconds: INT,
  deletionTimestamp: TIMESTAMP,
  generation: INT,
  resourceVersion: STRING,
  finalizers: TEXTS,
});

export const NAMESPACE: ObjectType = declaredObject('kubernetes.Namespace', {
  metadata: NAMESPACE_METADATA,
  spec: NAMESPACE_SPEC,
  status: NAMESPACE_STATUS,
});

/** All of these types. Expressions may construct them by name. */
export const REQUEST_TYPES: readonly ObjectType[] = [
  GVK,
  GVR,
  USER_INFO,
  REQUEST,
  NAMESPACE_SPEC,
  NAMESPACE_CONDITION,
  NAMESPACE_STATUS,
  NAMESPACE_METADATA,
  NAMESPACE,
];
