/** The kind ResourceQuota. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { compareQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { coreShapes } from '../../../kinds/shapes/core.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepSpec, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { amountOf } from '../../shared/resource-lists.ts';
import { roundResourceList } from '../../shared/round-resources.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateQuotaResourceName, validateResourceAmount } from '../../shared/validate-resources.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const WARNED_RESOURCES = ['cpu', 'memory', 'storage', 'ephemeral-storage'];

const POD_RESOURCES = [
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
] as const;
const EXISTS_SCOPES = [
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
] as const;
/** The resources that each scope applies to. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: POD_RESOURCES,
  NotTerminating: POD_RESOURCES,
  NotBestEffort: POD_RESOURCES,
  PriorityClass: POD_RESOURCES,
  CrossNamespacePodAffinity: POD_RESOURCES,
  BestEffort: ['pods'],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
/** Bounds the work of checking each scope with each resource: after this many issues, no further scope is checked. */
const MAX_SCOPE_ISSUES = 10_000;
const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

export const resourceQuotaTable: () => TableDefinition = tableOf(
  NAME,
  column('Request', 'Use and limits of what is asked for and counted.', (object) => usedOf(object, false)),
  column('Limit', 'Use and limits of the limits.', (object) => usedOf(object, true)),
  AGE,
);

const RESOURCE_QUOTA_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: clearStatus,
  validate: validateResourceQuota,
  validatesMetadata: true,
  warningsOnCreate: resourceQuotaWarnings,
  prepareForUpdate: keepStatus,
  validateUpdate: validateResourceQuotaUpdate,
  returnsDeletedObject: true,
});

export const RESOURCE_QUOTA: KubeResource = {
  definition: storedResource({
    plural: 'resourcequotas',
    shortNames: ['quota'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'ResourceQuota',
        setDefaults: setResourceQuotaDefaults,
        table: resourceQuotaTable,
      }),
    ],
    strategy: RESOURCE_QUOTA_STRATEGY,
    subresources: [
      statusSubresource(RESOURCE_QUOTA_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: validateResourceQuotaStatusUpdate,
      }),
    ],
  }),
};

function usedOf(object: JsonObject, ofLimits: boolean): string {
  const hard = objectAt(object, 'status', 'hard') ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .sort()
    .map((name) => `${name}: ${textAt(object, 'status', 'used', name) || '0'}/${textAt(hard, name)}`)
    .join(', ');
}

function setResourceQuotaDefaults(object: JsonObject): void {
  for (const [part, name] of [
    ['spec', 'hard'],
    ['status', 'hard'],
    ['status', 'used'],
  ] as const)
    roundResourceList(objectAt(object, part, name));
}

export function validateResourceQuota(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  addIssues(issues, validateSpec(objectAt(object, 'spec') ?? {}));
  addIssues(issues, validateStatus(object));
  return issues;
}

export function validateResourceQuotaUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  addIssues(issues, validateSpec(objectAt(object, 'spec') ?? {}));
  const scopes = textsAt(object, 'spec', 'scopes');
  const before = new Set(textsAt(old, 'spec', 'scopes'));
  const after = new Set(scopes);
  if (before.size !== after.size || scopes.some((scope) => !before.has(scope)))
    issues.push(invalid(SPEC.child('scopes'), nullable(scopes), FIELD_IMMUTABLE));
  return issues;
}

export function validateResourceQuotaStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  if (textAt(object, 'metadata', 'resourceVersion') === '') issues.push(required(FieldPath.of('resourceVersion'), ''));
  addIssues(issues, validateStatus(object));
  return issues;
}

/** Warns about a quota of limits that is below the quota of requests. */
export function resourceQuotaWarnings(object: JsonObject): readonly string[] {
  const hard = objectAt(object, 'spec', 'hard') ?? {};
  return WARNED_RESOURCES.flatMap((resource) => {
    const bare = resource === 'cpu' || resource === 'memory' ? [resource] : [];
    const request = [`requests.${resource}`, ...bare].find((name) => Object.hasOwn(hard, name));
    const limit = `limits.${resource}`;
    if (request === undefined || !Object.hasOwn(hard, limit)) return [];
    if (compareQuantity(amountOf(hard[request]), amountOf(hard[limit])) <= 0) return [];
    return [
      `ResourceQuota ${request} (${textAt(hard, request)}) should be less than ${limit} (${textAt(hard, limit)})`,
    ];
  });
}

function validateSpec(spec: JsonObject): FieldIssue[] {
  const hard = objectAt(spec, 'hard') ?? {};
  const issues = validateAmounts(hard, SPEC.child('hard'));
  const resources = Object.keys(hard).sort();
  addIssues(issues, validateScopes(textsAt(spec, 'scopes'), resources));
  addIssues(issues, validateSelector(objectAt(spec, 'scopeSelector') ?? {}, textsAt(spec, 'scopes'), resources));
  return issues;
}

function validateStatus(object: JsonObject): FieldIssue[] {
  return ['hard', 'used'].flatMap((name) =>
    validateAmounts(objectAt(object, 'status', name) ?? {}, STATUS.child(name)),
  );
}

function validateAmounts(list: JsonObject, path: FieldPath): FieldIssue[] {
  return Object.keys(list).flatMap((name) => [
    ...validateQuotaResourceName(name, path.key(name)),
    ...validateResourceAmount(name, amountOf(list[name]), textAt(list, name), path.key(name)),
  ]);
}

/** The names among `standard` that the scope does not apply to. */
function unsupportedResources(scope: string, standard: readonly string[]): readonly string[] {
  const fitting = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  if (fitting === undefined) return [];
  return standard.filter((name) => !fitting.includes(name));
}

/** Whether the name is a standard quota resource. `count/...` and names with a domain are not. */
function isStandardName(name: string): boolean {
  return validateQuotaResourceName(name, SPEC).length === 0 && !name.includes('/');
}

function validateScopes(scopes: readonly string[], resources: readonly string[]): FieldIssue[] {
  const path = SPEC.child('scopes');
  const shown = [...scopes];
  const standard = resources.filter(isStandardName);
  const issues: FieldIssue[] = [];
  for (const scope of scopes) {
    if (issues.length > MAX_SCOPE_ISSUES) break;
    if (!Object.hasOwn(SCOPES, scope)) issues.push(invalid(path, shown, 'unsupported scope'));
    for (const _resource of unsupportedResources(scope, standard))
      issues.push(invalid(path, shown, 'unsupported scope applied to resource'));
  }
  return [...issues, ...conflicts(scopes, scopes, path)];
}

function conflicts(used: readonly string[], shown: readonly string[], path: FieldPath): FieldIssue[] {
  return EXCLUSIVE.filter((pair) => pair.every((scope) => used.includes(scope))).map(() =>
    invalid(path, nullable(shown), 'conflicting scopes'),
  );
}

function validateSelector(selector: JsonObject, scopes: readonly string[], resources: readonly string[]): FieldIssue[] {
  const path = SPEC.child('scopeSelector', 'matchExpressions');
  const requirements = objectsAt(selector, 'matchExpressions');
  if (requirements.length === 0) return [];
  const shown = goValue(coreShapes, 'ScopeSelector', selector);
  const standard = resources.filter(isStandardName);
  const issues: FieldIssue[] = [];
  for (const requirement of requirements) {
    if (issues.length > MAX_SCOPE_ISSUES) break;
    const scope = textAt(requirement, 'scopeName');
    const operator = textAt(requirement, 'operator');
    if (!Object.hasOwn(SCOPES, scope)) issues.push(invalid(path.child('scopeName'), scope, 'unsupported scope'));
    for (const _resource of unsupportedResources(scope, standard))
      issues.push(declared(invalid(path, shown, 'unsupported scope applied to resource')));
    if ((EXISTS_SCOPES as readonly string[]).includes(scope) && operator !== 'Exists')
      issues.push(
        invalid(
          path.child('operator'),
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    addIssues(issues, validateOperator(operator, textsAt(requirement, 'values'), path));
  }
  const used = requirements.map((requirement) => textAt(requirement, 'scopeName'));
  return [...issues, ...conflicts(used, scopes, path)];
}

function validateOperator(operator: string, values: readonly string[], path: FieldPath): FieldIssue[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        required(
          path.child('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        invalid(
          path.child('values'),
          [...values],
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}

/** Messages show an empty list as null. */
function nullable(texts: readonly string[]): string[] | null {
  return texts.length === 0 ? null : [...texts];
}
