/**
 * Validation of the downward API's selectors, `fieldRef` and `resourceFieldRef`, in environment variables and volumes.
 */
import { textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, notSupported, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../../apimachinery/validation/label-syntax.ts';
import { lowerCase } from '../../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { amountOf } from '../../../shared/resource-lists.ts';

/** All fields that a `fieldRef` may select somewhere. */
const POD_FIELDS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES = /^(?:requests|limits)\.hugepages-/;

const CPU_DIVISORS: readonly string[] = ['1m', '1'];
const BYTE_DIVISORS: readonly string[] = [
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
];

/** Validates a `fieldRef`. `allowed` are the fields that may be selected in this place, sorted. */
export function validateFieldRef(ref: JsonObject, allowed: readonly string[], path: FieldPath): FieldIssue[] {
  const version = textAt(ref, 'apiVersion');
  if (version === '') return [required(path.child('apiVersion'), '')];
  const text = textAt(ref, 'fieldPath');
  if (text === '') return [required(path.child('fieldPath'), '')];
  const subscripted = splitSubscript(text);
  const field = subscripted?.field ?? (text === 'spec.host' ? 'spec.nodeName' : text);
  const problem = fieldProblem(version, text, subscripted?.field);
  if (problem !== undefined) return [invalid(path.child('fieldPath'), text, `error converting fieldPath: ${problem}`)];
  if (subscripted !== undefined) {
    const key = field === 'metadata.annotations' ? lowerCase(subscripted.key) : subscripted.key;
    return checkQualifiedName(key).map((complaint) => invalid(path, key, complaint));
  }
  return allowed.includes(field) ? [] : [notSupported(path.child('fieldPath'), field, allowed)];
}

function fieldProblem(version: string, text: string, subscripted: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (subscripted !== undefined)
    return subscripted === 'metadata.annotations' || subscripted === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${text}`;
  return POD_FIELDS.has(text) || text === 'spec.host' ? undefined : `field label not supported: ${text}`;
}

/** Splits `metadata.labels['key']`. Undefined for text without a subscript. */
function splitSubscript(text: string): { readonly field: string; readonly key: string } | undefined {
  if (!text.endsWith("']")) return undefined;
  const start = text.indexOf("['");
  return start <= 0 || start + 2 > text.length - 2
    ? undefined
    : { field: text.slice(0, start), key: text.slice(start + 2, -2) };
}

/** Validates a `resourceFieldRef`. `namesContainer`: containerName is required, as in volumes. */
export function validateResourceFieldRef(ref: JsonObject, path: FieldPath, namesContainer: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const resource = textAt(ref, 'resource');
  if (namesContainer && textAt(ref, 'containerName') === '') issues.push(required(path.child('containerName'), ''));
  else if (resource === '') issues.push(required(path.child('resource'), ''));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource))
    issues.push(notSupported(path.child('resource'), resource, RESOURCES));
  const problem = divisorProblem(resource, ref);
  if (problem !== undefined) issues.push(invalid(path.child('divisor'), resource, problem));
  return issues;
}

function divisorProblem(resource: string, ref: JsonObject): string | undefined {
  if (amountOf(ref['divisor']).unscaled === 0n) return undefined;
  const divisor = textAt(ref, 'divisor');
  if (resource.endsWith('s.cpu'))
    return CPU_DIVISORS.includes(divisor) || !RESOURCES.includes(resource)
      ? undefined
      : "only divisor's values 1m and 1 are supported with the cpu resource";
  const noun = byteNoun(resource);
  if (noun === undefined || BYTE_DIVISORS.includes(divisor)) return undefined;
  return `only divisor's values ${BYTE_DIVISORS.join(', ')} are supported with the ${noun} resource`;
}

/** The noun for a resource counted in bytes, as kube-apiserver's messages have it. Undefined for other resources. */
function byteNoun(resource: string): string | undefined {
  if (HUGE_PAGES.test(resource)) return 'hugepages';
  if (!RESOURCES.includes(resource)) return undefined;
  return resource.endsWith('memory') ? 'memory' : 'local ephemeral storage';
}
