/**
 * The rules of NodeRestriction for Pods: a kubelet creates and deletes mirror pods, and updates the status of its pods.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { labelsOf, nameOf, ownerReferencesOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { isMirrorPod } from '../pod/admitted-pod.ts';
import { hasSecretReferences } from '../service-account/secret-references.ts';
import type { NodeRestrictionOptions } from './token-rules.ts';

export function admitPod(
  node: string,
  attributes: AdmissionAttributes,
  options: NodeRestrictionOptions,
): MaybePromise<void> {
  const { subresource, operation } = attributes;
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return checkMirrorPod(node, attributes, options);
      if (operation === 'DELETE') return checkDeletion(node, attributes);
      throw refusal(
        attributes,
        `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`,
      );
    case 'status':
      return checkStatus(node, attributes);
    case 'eviction':
      return checkEviction(node, attributes, options);
    default: {
      const because = `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`;
      throw refusal(attributes, because);
    }
  }
}

function checkDeletion(node: string, attributes: AdmissionAttributes): void {
  const { oldObject } = attributes;
  if (oldObject !== undefined && textAt(specOf(oldObject), 'nodeName') !== node)
    throw refusal(attributes, `node ${quote(node)} can only delete pods with spec.nodeName set to itself`);
}

function checkStatus(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined)
    throw refusal(attributes, `unexpected operation ${quote(operation)}`);
  if (textAt(specOf(oldObject), 'nodeName') !== node)
    throw refusal(
      attributes,
      `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`,
    );
  if (!equalJson(labelsOf(object), labelsOf(oldObject)))
    throw refusal(attributes, `node ${quote(node)} cannot update labels through pod status`);
  const isSame = (field: string): boolean =>
    equalJson(fieldAt(object, 'status', field) ?? null, fieldAt(oldObject, 'status', field) ?? null);
  if (!isSame('resourceClaimStatuses'))
    throw refusal(attributes, `node ${quote(node)} cannot update resource claim statues`);
  if (!isSame('extendedResourceClaimStatus'))
    throw refusal(attributes, `node ${quote(node)} cannot update extended resource claim status`);
}

function checkEviction(
  node: string,
  attributes: AdmissionAttributes,
  options: NodeRestrictionOptions,
): MaybePromise<void> {
  const { operation, namespace, object } = attributes;
  if (operation !== 'CREATE') throw refusal(attributes, `unexpected operation ${operation}`);
  const name = attributes.name || (object === undefined ? '' : nameOf(object));
  if (name === '') throw refusal(attributes, 'could not determine pod from request data');
  return andThen(options.pods(namespace, name), (answer) => {
    if ('status' in answer) throw new StatusError(answer.status);
    if (textAt(specOf(answer.object), 'nodeName') !== node)
      throw refusal(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`);
  });
}

function checkMirrorPod(
  node: string,
  attributes: AdmissionAttributes,
  options: NodeRestrictionOptions,
): MaybePromise<void> {
  const { object: pod } = attributes;
  if (pod === undefined) return undefined;
  const self = `node ${quote(node)}`;
  if (!isMirrorPod(pod)) {
    const because = `pod does not have ${quote('kubernetes.io/config.mirror')} annotation, ${self} can only create mirror pods`;
    throw refusal(attributes, because);
  }
  if (textAt(specOf(pod), 'nodeName') !== node)
    throw refusal(attributes, `${self} can only create pods with spec.nodeName set to itself`);
  const [owner, ...others] = ownerReferencesOf(pod);
  if (others.length > 0)
    throw refusal(attributes, `${self} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refusal(attributes, `${self} can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    throw refusal(attributes, `${self} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true)
    throw refusal(attributes, `${self} must not set blockOwnerDeletion on an owner reference`);
  return andThen(options.nodes('', node), (answer) => {
    if ('status' in answer) throw new StatusError(answer.status);
    const uid = uidOf(answer.object);
    if (owner.uid !== uid)
      throw refusal(attributes, `node ${node} UID mismatch: expected ${owner.uid ?? ''} got ${uid}`);
    const reference = apiReference(specOf(pod));
    if (reference !== undefined) throw refusal(attributes, `${self} can not create pods that reference ${reference}`);
  });
}

/**
 * Returns the kind of API object that a mirror pod refers to. It must not refer to any: kubelets may read the objects
 * that their pods refer to, and would gain access by creating such pods.
 */
function apiReference(spec: JsonObject): string | undefined {
  if (textAt(spec, 'serviceAccountName') !== '') return 'serviceaccounts';
  if (hasSecretReferences(spec)) return 'secrets';
  if (hasConfigMapReferences(spec)) return 'configmaps';
  if (objectsAt(spec, 'resourceClaims').length > 0) return 'resourceclaims';
  for (const volume of objectsAt(spec, 'volumes')) {
    const found = VOLUMES.find(([type]) => volume[type] !== undefined) ?? projection(volume);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

type Reference = readonly [type: string, reads: string];

const VOLUMES: readonly Reference[] = [
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];
const PROJECTIONS: readonly Reference[] = [
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

function projection(volume: JsonObject): Reference | undefined {
  for (const source of objectsAt(volume, 'projected', 'sources')) {
    const found = PROJECTIONS.find(([type]) => source[type] !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasConfigMapReferences(spec: JsonObject): boolean {
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => objectsAt(spec, list));
  const inContainers = containers.some(
    (container) =>
      objectsAt(container, 'envFrom').some((source) => source['configMapRef'] !== undefined) ||
      objectsAt(container, 'env').some((env) => fieldAt(env, 'valueFrom', 'configMapKeyRef') !== undefined),
  );
  if (inContainers) return true;
  return objectsAt(spec, 'volumes').some(
    (volume) =>
      volume['configMap'] !== undefined ||
      objectsAt(volume, 'projected', 'sources').some((source) => source['configMap'] !== undefined),
  );
}
