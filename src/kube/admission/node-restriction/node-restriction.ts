/**
 * The plugin NodeRestriction, disabled by default. It restricts kubelets to their own node, the pods that are bound to
 * it, and objects of these pods. Invariant: it checks only users of the group system:nodes with a name
 * `system:node:...`.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { formatGroupResource } from '../../../apimachinery/meta/gvk.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { decodeBase64 } from '../../../base/base64.ts';
import { decodeUtf8 } from '../../../base/bytes.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { parseCertificateRequestPem } from '../../../pki/certificate-request.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { admitNode } from './node-rules.ts';
import { admitPod } from './pod-rules.ts';
import { admitToken, type NodeRestrictionOptions } from './token-rules.ts';

const USER_PREFIX = 'system:node:';
const NODES_GROUP = 'system:nodes';
const NODE_LEASES = 'kube-node-lease';
const NODE_SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

type Rule = (node: string, attributes: AdmissionAttributes, options: NodeRestrictionOptions) => MaybePromise<void>;

const RULES: Readonly<Record<string, Rule>> = {
  pods: admitPod,
  nodes: admitNode,
  persistentvolumeclaims: admitClaim,
  serviceaccounts: admitToken,
  'podcertificaterequests.certificates.k8s.io': (_node, attributes) => {
    throw refusal(attributes, 'PodCertificateRequest feature gate is disabled');
  },
  'leases.coordination.k8s.io': admitLease,
  'csinodes.storage.k8s.io': (node, attributes) => {
    if (ownName(attributes) !== node)
      throw refusal(attributes, 'can only access CSINode with the same name as the requesting node');
  },
  'resourceslices.resource.k8s.io': admitSlice,
  'certificatesigningrequests.certificates.k8s.io': admitCertificateRequest,
};

export function nodeRestriction(options: NodeRestrictionOptions): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    resources: Object.keys(RULES),
    handles: (operation) => operation !== 'CONNECT',
    admit: (attributes) => {
      const node = nodeOf(attributes.user);
      if (node === undefined) return undefined;
      if (node === '') throw refusal(attributes, `could not determine node from user ${quote(attributes.user.name)}`);
      return RULES[formatGroupResource(attributes.resource)]?.(node, attributes, options);
    },
  };
}

/** Returns the node name of a kubelet's user, and undefined for other users. */
function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(USER_PREFIX) && groups.includes(NODES_GROUP) ? name.slice(USER_PREFIX.length) : undefined;
}

/** Returns the name of the object. On create the path has none. */
function ownName({ operation, object, name }: AdmissionAttributes): string {
  return operation === 'CREATE' && object !== undefined ? nameOf(object) : name;
}

function admitClaim(node: string, attributes: AdmissionAttributes): void {
  const { subresource, operation, object, oldObject } = attributes;
  if (subresource !== 'status') throw refusal(attributes, 'may only update PVC status');
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined)
    throw refusal(attributes, `unexpected operation ${quote(operation)}`);
  if (equalJson(withoutSizes(object), withoutSizes(oldObject))) return;
  throw refusal(
    attributes,
    `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions`,
  );
}

/** Returns a claim without the fields that a kubelet may change. */
function withoutSizes(claim: JsonObject): JsonObject {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = objectAt(claim, 'metadata') ?? {};
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResources: _allocated,
    allocatedResourceStatuses: _statuses,
    ...status
  } = objectAt(claim, 'status') ?? {};
  return { ...claim, metadata, status };
}

function admitLease(node: string, attributes: AdmissionAttributes): void {
  if (attributes.namespace !== NODE_LEASES)
    throw refusal(attributes, `can only access leases in the ${quote(NODE_LEASES)} system namespace`);
  if (ownName(attributes) !== node)
    throw refusal(attributes, 'can only access node lease with the same name as the requesting node');
}

function admitSlice(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, oldObject } = attributes;
  const slice = operation === 'CREATE' ? object : operation === 'DELETE' ? oldObject : undefined;
  if (slice === undefined || textAt(specOf(slice), 'nodeName') === node) return;
  const action = operation === 'CREATE' ? 'create' : 'delete';
  throw refusal(attributes, `can only ${action} ResourceSlice with the same NodeName as the requesting node`);
}

function admitCertificateRequest(node: string, attributes: AdmissionAttributes): void {
  const { operation, object } = attributes;
  if (operation !== 'CREATE' || object === undefined) return;
  const spec = specOf(object);
  if (!NODE_SIGNERS.includes(textAt(spec, 'signerName'))) return;
  const parsed = parseCertificateRequestPem(decodeUtf8(decodeBase64(textAt(spec, 'request')) ?? new Uint8Array()));
  if (!parsed.ok) throw refusal(attributes, `unable to parse csr: ${parsed.problem}`);
  if (parsed.request.commonName !== USER_PREFIX + node)
    throw refusal(attributes, `can only create a node CSR with CN=${USER_PREFIX}${node}`);
}
