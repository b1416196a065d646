/**
 * The rules of NodeRestriction for Nodes: a kubelet changes only its own Node, and of the labels in Kubernetes' domains
 * only those that describe the node.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { labelsOf } from '../../../apimachinery/meta/meta.ts';
import { fieldAt } from '../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';

const KUBELET_LABELS = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_DOMAINS = ['node-restriction.kubernetes.io'];
const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];

export function admitNode(node: string, attributes: AdmissionAttributes): void {
  const { name, operation, object, oldObject } = attributes;
  if (name !== node) throw refusal(attributes, `node ${quote(node)} is not allowed to modify node ${quote(name)}`);
  if (operation === 'CREATE' && object !== undefined) {
    if (fieldAt(object, 'spec', 'configSource') !== undefined)
      throw refusal(attributes, `node ${quote(node)} is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenLabels(labelsOf(object), {});
    if (labels.length > 0)
      throw refusal(attributes, `node ${quote(node)} is not allowed to set the following labels: ${labels.join(', ')}`);
  }
  if (operation === 'UPDATE' && object !== undefined && oldObject !== undefined)
    checkUpdate(node, attributes, object, oldObject);
}

function checkUpdate(node: string, attributes: AdmissionAttributes, object: JsonObject, old: JsonObject): void {
  const isSame = (...path: string[]): boolean =>
    equalJson(fieldAt(object, ...path) ?? null, fieldAt(old, ...path) ?? null);
  if (fieldAt(object, 'spec', 'configSource') !== undefined && !isSame('spec', 'configSource'))
    throw refusal(
      attributes,
      `node ${quote(node)} is not allowed to update configSource to a new non-nil configSource`,
    );
  if (!isSame('spec', 'taints')) throw refusal(attributes, `node ${quote(node)} is not allowed to modify taints`);
  if (!isSame('metadata', 'ownerReferences'))
    throw refusal(attributes, `node ${quote(node)} is not allowed to modify ownerReferences`);
  const labels = forbiddenLabels(labelsOf(object), labelsOf(old));
  if (labels.length > 0) throw refusal(attributes, `is not allowed to modify labels: ${labels.join(', ')}`);
}

type Labels = Readonly<Record<string, string>>;

/** Returns the changed labels that a kubelet may not set, sorted. */
function forbiddenLabels(labels: Labels, old: Labels): readonly string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...keys].filter((key) => labels[key] !== old[key] && !mayBeSet(key)).sort();
}

function mayBeSet(key: string): boolean {
  if (isIn(key, RESTRICTED_DOMAINS)) return false;
  return !isIn(key, RESERVED_DOMAINS) || KUBELET_LABELS.has(key) || isIn(key, KUBELET_DOMAINS);
}

function isIn(key: string, domains: readonly string[]): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}
