/** Validation of `status.loadBalancer` of Services and Ingresses. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { ipWarnings, parseSloppyIp, validateLegacyIp } from '../../../shared/ip.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';

const INGRESS = FieldPath.of('status', 'loadBalancer', 'ingress');
const IP_MODES = ['Proxy', 'VIP'];

export function validateServiceStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  const points = balancerPoints(object);
  if (points.length > 0 && textAt(object, 'spec', 'type') !== 'LoadBalancer')
    return [...issues, forbidden(INGRESS, "may only be used when `spec.type` is 'LoadBalancer'")];
  const accepted = new Set(balancerPoints(old).map((point) => textAt(point, 'ip')));
  return [...issues, ...points.flatMap((point, i) => validatePoint(point, INGRESS.index(i), accepted, true))];
}

/** The rules for an Ingress, whose points have no ipMode. */
export function validateIngressPoints(object: JsonObject, old: JsonObject): FieldIssue[] {
  const accepted = new Set(balancerPoints(old).map((point) => textAt(point, 'ip')));
  return balancerPoints(object).flatMap((point, i) => validatePoint(point, INGRESS.index(i), accepted, false));
}

/** Warns about addresses that are not in canonical form. */
export function balancerWarnings(object: JsonObject): readonly string[] {
  return balancerPoints(object).flatMap((point, i) => ipWarnings(textAt(point, 'ip'), INGRESS.index(i)));
}

function balancerPoints(object: JsonObject): readonly JsonObject[] {
  return objectsAt(objectAt(object, 'status') ?? {}, 'loadBalancer', 'ingress');
}

function validatePoint(
  point: JsonObject,
  path: FieldPath,
  accepted: ReadonlySet<string>,
  hasMode: boolean,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const [ip, mode, host] = [textAt(point, 'ip'), fieldAt(point, 'ipMode'), textAt(point, 'hostname')];
  if (ip !== '') issues.push(...validateLegacyIp(ip, path.child('ip'), accepted));
  if (hasMode) {
    const modePath = path.child('ipMode');
    if (mode === undefined) {
      if (ip !== '') issues.push(required(modePath, 'must be specified when `ip` is set'));
    } else if (ip === '') issues.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
    else if (!IP_MODES.includes(mode as string)) issues.push(notSupported(modePath, mode, IP_MODES));
  }
  if (host === '') return issues;
  const hostPath = path.child('hostname');
  issues.push(...checkDns1123Subdomain(host).map((complaint) => invalid(hostPath, host, complaint)));
  if (parseSloppyIp(host) !== undefined) issues.push(invalid(hostPath, host, 'must be a DNS name, not an IP address'));
  return issues;
}
