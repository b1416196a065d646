/** The kind ResourcePoolStatusRequest. Its spec is immutable, and its status is immutable once it is set. */

import { goPointer } from '../../../apimachinery/go-shape/go-value.ts';
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
import { resourceShapes } from '../../../kinds/shapes/resource.ts';
import { column, NAME, sinceText, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { dropStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { statusSubresource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';

import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { deviceStrategy, deviceVersion } from './device-definitions.ts';
import { validateSubdomain } from './validate-names.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const MAX_LIMIT = 1000;
const MAX_POOLS = 1000;
const MAX_CONDITIONS = 10;
const MAX_ERROR_BYTES = 256;
const MAX_NAME_BYTES = 253;
const COUNTS = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'];

const count = (name: string, field: string): ReturnType<typeof column> =>
  column(name, 'Devices of all pools.', (object) => sumText(object, (pool) => Number(numberAt(pool, field))));

export const poolStatusRequestTable: () => TableDefinition = tableOf(
  NAME,
  column('Driver', 'The driver whose pools are asked about.', (object) => textAt(object, 'spec', 'driver')),
  count('Total', 'totalDevices'),
  count('Available', 'availableDevices'),
  count('Allocated', 'allocatedDevices'),
  count('Unavailable', 'unavailableDevices'),
  column('Errors', 'Pools that are not valid.', (object) =>
    sumText(object, (pool) => (fieldAt(pool, 'validationError') === undefined ? 0 : 1)),
  ),
  column('Pools', 'How many pools match.', (object) => numberAt(object, 'status', 'poolCount'), { type: 'integer' }),
  column('Status', 'How far the answer is.', poolRequestState),
  column('Completed', 'How long ago it was answered.', (object, now) => {
    const ended = endOf(object);
    return ended?.type === 'Complete' ? sinceText(ended.time, now) : '<none>';
  }),
);

const POOL_STATUS_STRATEGY: Strategy = deviceStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: dropStatus,
  validate: validatePoolStatusRequest,
  prepareForUpdate: keepStatus,
  validateUpdate: validatePoolStatusRequestUpdate,
});

export const RESOURCE_POOL_STATUS_REQUEST: KubeResource = {
  definition: storedResource({
    plural: 'resourcepoolstatusrequests',
    scope: 'Cluster',
    versions: [
      deviceVersion({
        version: 'v1alpha3',
        kind: 'ResourcePoolStatusRequest',
        setDefaults: setPoolStatusRequestDefaults,
        table: poolStatusRequestTable,
      }),
    ],
    strategy: POOL_STATUS_STRATEGY,
    subresources: [
      statusSubresource(POOL_STATUS_STRATEGY, {
        prepareForUpdate: keepAllButStatus,
        validateUpdate: validatePoolStatusUpdate,
        resetFields: RESETS_SPEC_AND_METADATA,
      }),
    ],
  }),
};

/** Returns the first terminal condition: Complete or Failed with status True. */
function endOf(request: JsonObject): { readonly type: string; readonly time: string } | undefined {
  for (const condition of objectsAt(request, 'status', 'conditions')) {
    const type = textAt(condition, 'type');
    if ((type === 'Complete' || type === 'Failed') && textAt(condition, 'status') === 'True')
      return { type, time: textAt(condition, 'lastTransitionTime') };
  }
  return undefined;
}

function sumText(request: JsonObject, value: (pool: JsonObject) => number): string {
  if (objectAt(request, 'status') === undefined || endOf(request)?.type === 'Failed') return '-';
  return String(objectsAt(request, 'status', 'pools').reduce((sum, pool) => sum + value(pool), 0));
}

function poolRequestState(request: JsonObject): string {
  const type = endOf(request)?.type ?? 'Pending';
  const [shown, all] = [objectsAt(request, 'status', 'pools').length, Number(numberAt(request, 'status', 'poolCount'))];
  return type === 'Complete' && all > shown ? `Complete (${shown}/${all} pools)` : type;
}

function setPoolStatusRequestDefaults(request: JsonObject): void {
  const spec = objectAt(request, 'spec');
  if (spec !== undefined && fieldAt(spec, 'limit') === undefined) spec['limit'] = 100;
}

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
      const shown = goPointer(resourceShapes, 'ResourcePoolStatusRequestStatus', status);
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
  // kube-apiserver treats a generation of zero as absent.
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

/** Validates a pool name. kube-apiserver uses declarative validation for this kind, with messages of its own. */
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
