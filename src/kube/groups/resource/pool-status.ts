/** ResourcePoolStatusRequest: a question about pools that is asked once and answered once. Invariant: pure; neither the question nor the answer changes. */
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
  tooLong,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain, checkDns1123SubdomainCaseless } from '../../../apimachinery/validation/name-syntax.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { inGoShape } from '../../shared/go-shape.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateSubdomain } from './names.ts';
import { POOL_STATUS } from './shapes.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const MAX_LIMIT = 1000;
const MAX_POOLS = 1000;
const MAX_CONDITIONS = 10;
const MAX_ERROR_BYTES = 256;
const MAX_NAME_BYTES = 253;
const COUNTS = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'];

export function validatePoolStatusRequest(request: JsonObject): FieldIssue[] {
  const spec = objectAt(request, 'spec') ?? {};
  const issues = [
    ...validateKubeMeta(metaFacts(request), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateDriver(spec, SPEC),
  ];
  const pool = fieldAt(spec, 'poolName');
  if (typeof pool === 'string') issues.push(...validateSegments(pool, SPEC.child('poolName')));
  const limit = numberAt(spec, 'limit');
  if (limit > MAX_LIMIT) issues.push(invalid(SPEC.child('limit'), limit, `must be less than or equal to ${MAX_LIMIT}`));
  if (limit < 1) issues.push(invalid(SPEC.child('limit'), limit, 'must be greater than or equal to 1'));
  return issues;
}

export function validatePoolStatusRequestUpdate(request: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(request, old);
  const spec = objectAt(request, 'spec') ?? {};
  if (!equalJson(spec, objectAt(old, 'spec') ?? {})) issues.push(invalid(SPEC, null, FIELD_IMMUTABLE));
  return issues;
}

export function validatePoolStatusUpdate(request: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(request, old);
  const [status, stored] = [objectAt(request, 'status'), objectAt(old, 'status')];
  if (stored !== undefined) {
    if (!equalJson(status ?? null, stored)) {
      const shown = status === undefined ? null : inGoShape(status, POOL_STATUS);
      issues.push(declared(invalid(STATUS, shown, FIELD_IMMUTABLE)));
    }
    return issues;
  }
  if (status === undefined) return issues;
  const conditions = objectsAt(status, 'conditions');
  addIssues(issues, validateConditions(conditions, STATUS.child('conditions')));
  const count = fieldAt(status, 'poolCount');
  if (count === undefined) issues.push(required(STATUS.child('poolCount'), ''));
  else issues.push(...validateMinimum(status, 'poolCount', 0, STATUS));
  const pools = objectsAt(status, 'pools');
  if (pools.length > MAX_POOLS) issues.push(tooMany(STATUS.child('pools'), pools.length, MAX_POOLS));
  else
    for (const [i, pool] of pools.entries())
      addIssues(issues, validatePoolStatus(pool, STATUS.child('pools').index(i)));
  if (conditions.length > MAX_CONDITIONS)
    issues.push(tooMany(STATUS.child('conditions'), conditions.length, MAX_CONDITIONS));
  else addIssues(issues, validateUniqueTypes(conditions, STATUS.child('conditions')));
  return issues;
}

function validateUniqueTypes(conditions: readonly JsonObject[], path: FieldPath): FieldIssue[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const type = textAt(condition, 'type');
    const isRepeated = seen.has(type);
    seen.add(type);
    return isRepeated ? [declared(duplicate(path.index(i), condition))] : [];
  });
}

function validatePoolStatus(pool: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateDriver(pool, path);
  const name = textAt(pool, 'poolName');
  if (name === '') issues.push(required(path.child('poolName'), ''));
  else issues.push(...validateSegments(name, path.child('poolName')));
  // A generation of zero is none, as the reference has it.
  if (numberAt(pool, 'generation') === 0) issues.push(required(path.child('generation'), ''));
  else issues.push(...validateMinimum(pool, 'generation', 0, path));
  issues.push(...validateMinimum(pool, 'resourceSliceCount', 1, path));
  for (const name of COUNTS) issues.push(...validateMinimum(pool, name, 0, path));
  const node = fieldAt(pool, 'nodeName');
  if (typeof node === 'string') issues.push(...validateSubdomain(node, path.child('nodeName')));
  if (isLongerThan(textAt(pool, 'validationError'), MAX_ERROR_BYTES))
    issues.push(tooLong(path.child('validationError'), undefined, MAX_ERROR_BYTES));
  return issues;
}

/** The name of a pool, in the words of the newer rules that this kind has. */
function validateSegments(name: string, path: FieldPath): FieldIssue[] {
  const issues = isLongerThan(name, MAX_NAME_BYTES) ? [tooLong(path, undefined, MAX_NAME_BYTES)] : [];
  for (const [i, part] of name.split('/').entries()) {
    if (part === '') issues.push(invalid(path, name, `segment ${i}: must not be empty`));
    for (const complaint of part === '' ? [] : checkDns1123Subdomain(part))
      issues.push(invalid(path, part, `segment ${i}: ${complaint}`));
  }
  return issues;
}

function validateDriver(owner: JsonObject, path: FieldPath): FieldIssue[] {
  const driver = textAt(owner, 'driver');
  const at = path.child('driver');
  if (driver === '') return [required(at, '')];
  return checkDns1123SubdomainCaseless(driver).map((complaint) => invalid(at, driver, complaint));
}

function validateMinimum(owner: JsonObject, name: string, min: number, path: FieldPath): FieldIssue[] {
  const value = fieldAt(owner, name);
  if (value === undefined || Number(value) >= min) return [];
  return [invalid(path.child(name), value, `must be greater than or equal to ${min}`)];
}
