/**
 * The API approval policy for groups of the Kubernetes community: an API in them names its approval in an annotation.
 * The texts are kube-apiserver's.
 */

import { parseRequestUri } from '../../apimachinery/go/go-url.ts';
import { quote } from '../../apimachinery/go-format.ts';
import type { Crd } from '../crd.ts';
import type { WantedCondition } from './crd-conditions.ts';

export const APPROVED_ANNOTATION = 'api-approved.kubernetes.io';

const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

export type ApprovalState = 'invalid' | 'approved' | 'bypassed' | 'missing';

export interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

export function approvalOf(annotations: Readonly<Record<string, string>>): Approval {
  const value = Object.hasOwn(annotations, APPROVED_ANNOTATION) ? (annotations[APPROVED_ANNOTATION] ?? '') : '';
  const must = `protected groups must have approval annotation ${quote(APPROVED_ANNOTATION)}`;
  if (value === '') return { state: 'missing', reason: `${must}, ${SEE}` };
  if (value.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${quote(value)}` };
  if (isAbsoluteUrl(value)) return { state: 'approved', reason: `approved in ${value}` };
  return { state: 'invalid', reason: `${must} with either a URL or a reason starting with "unapproved", ${SEE}` };
}

const CONDITIONS: Readonly<Record<ApprovalState, { readonly status: 'True' | 'False'; readonly reason: string }>> = {
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
};

/**
 * Returns the condition KubernetesAPIApprovalPolicyConformant that the definition should have. Returns undefined for a
 * group that is not protected, which has none.
 */
export function apiApprovalConformance(crd: Pick<Crd, 'group' | 'annotations'>): WantedCondition | undefined {
  if (!isProtectedGroup(crd.group)) return undefined;
  const { state, reason } = approvalOf(crd.annotations);
  return { type: 'KubernetesAPIApprovalPolicyConformant', ...CONDITIONS[state], message: reason };
}

function isAbsoluteUrl(text: string): boolean {
  const parsed = parseRequestUri(text);
  return parsed.ok && parsed.value.scheme !== '' && parsed.value.host !== '';
}
