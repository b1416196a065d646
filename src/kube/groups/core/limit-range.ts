/** The kind LimitRange. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type Quantity, quantityFromInt } from '../../../apimachinery/scalars/quantity.ts';
import {
  compareQuantity,
  quantityMilliValue,
  quantityValue,
} from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { getField, type JsonObject, setField } from '../../../base/json-value.ts';
import { CREATED_AT, NAME, tableOf } from '../../../server/resource/columns.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { ResourceStore } from '../../../server/resource/resource-store.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { ensureMeta, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { KubeContext, KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { amountOf, isOvercommitAllowed, sortedResourceList } from '../../shared/resource-lists.ts';
import { roundResourceList } from '../../shared/round-resources.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { validateContainerResourceName, validateResourceName } from '../../shared/validate-resources.ts';

const METADATA = FieldPath.of('metadata');
const LIMITS = FieldPath.of('spec', 'limits');
const STANDARD_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
const ONE = quantityFromInt(1);
/** The largest value whose number of thousandths is an int64. */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

type ListName = (typeof LISTS)[number];

export const LIMIT_RANGE: KubeResource = {
  definition: storedResource({
    plural: 'limitranges',
    shortNames: ['limits'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'LimitRange',
        setDefaults: setLimitRangeDefaults,
        table: tableOf(NAME, CREATED_AT),
      }),
    ],
    strategy: strategyWithDefaults({
      allowCreateOnUpdate: true,
      validate: validateLimitRange,
      validatesMetadata: true,
      validateUpdate: validateLimitRange,
    }),
  }),
  wrapStore: ({ store }, kube) => nameLimitRanges(store, kube),
};

/** A LimitRange without a name and a generateName gets a random UUID as its name. */
function nameLimitRanges(store: ResourceStore, { host }: KubeContext): ResourceStore {
  const { create } = store;
  if (create === undefined) return store;
  return delegateStore(store, {
    create: (context, object, request) => {
      const meta = objectAt(object, 'metadata') ?? {};
      if (textAt(meta, 'name') === '' && textAt(meta, 'generateName') === '')
        ensureMeta(object)['name'] = host.newUid();
      return create.call(store, context, object, request);
    },
  });
}

export function setLimitRangeDefaults(object: JsonObject): void {
  for (const limit of objectsAt(object, 'spec', 'limits')) {
    if (textAt(limit, 'type') === 'Container') setContainerDefaults(limit);
    for (const name of LISTS) roundResourceList(limit[name]);
  }
}

/** The default limit is the maximum. The default request is the default limit or, without one, the minimum. */
function setContainerDefaults(limit: JsonObject): void {
  const max = objectAt(limit, 'max') ?? {};
  const min = objectAt(limit, 'min') ?? {};
  const limits: JsonObject = { ...objectAt(limit, 'default') };
  const requests: JsonObject = { ...objectAt(limit, 'defaultRequest') };
  fillIn(limits, max);
  fillIn(requests, limits);
  fillIn(requests, min);
  for (const [name, list] of [
    ['default', limits],
    ['defaultRequest', requests],
  ] as const)
    if (Object.keys(list).length > 0) limit[name] = sortedResourceList(list);
}

function fillIn(list: JsonObject, from: JsonObject): void {
  for (const name of Object.keys(from)) if (getField(list, name) === undefined) setField(list, name, from[name] ?? '0');
}

export function validateLimitRange(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const types = new Set<string>();
  for (const [i, limit] of objectsAt(object, 'spec', 'limits').entries()) {
    const path = LIMITS.index(i);
    const type = textAt(limit, 'type');
    addIssues(issues, validateType(type, path.child('type')));
    if (types.has(type)) issues.push(duplicate(path.child('type'), type));
    types.add(type);
    addIssues(issues, validateLimit(limit, type, path));
  }
  return issues;
}

function validateType(type: string, path: FieldPath): FieldIssue[] {
  const complaints = checkQualifiedName(type);
  if (complaints.length > 0) return complaints.map((complaint) => invalid(path, type, complaint));
  if (type.includes('/') || STANDARD_TYPES.includes(type)) return [];
  return [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateLimit(limit: JsonObject, type: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const amounts = new Map<string, Partial<Record<ListName, Quantity>>>();
  const checkName = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  for (const name of LISTS) {
    const list = objectAt(limit, name) ?? {};
    const resources = Object.keys(list);
    if (name === 'maxLimitRequestRatio') addIssues(issues, validateClaimLimit(limit, type, path));
    if (type === 'Pod' && (name === 'default' || name === 'defaultRequest')) {
      if (resources.length > 0) issues.push(forbidden(path.child(name), "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const resource of resources) {
      addIssues(issues, checkName(resource, path.child(name).key(resource)));
      amounts.set(resource, { ...amounts.get(resource), [name]: amountOf(list[resource]) });
    }
  }
  for (const [resource, own] of amounts) addIssues(issues, validateAmounts(resource, own, limit, path));
  return issues;
}

/** A limit for claims needs a minimum or a maximum of storage. */
function validateClaimLimit(limit: JsonObject, type: string, path: FieldPath): FieldIssue[] {
  if (type !== 'PersistentVolumeClaim') return [];
  if (fieldAt(limit, 'min', 'storage') !== undefined || fieldAt(limit, 'max', 'storage') !== undefined) return [];
  return [
    required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'),
  ];
}

/**
 * The pairs of lists in which the amount of the first must not exceed that of the second. As in kube-apiserver, the
 * path of the issue may name one list and its value be that of another.
 */
const ORDERED: readonly (readonly [low: ListName, high: ListName, at: ListName, shows: ListName, text: string])[] = [
  ['min', 'max', 'min', 'min', 'min value LOW is greater than max value HIGH'],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'defaultRequest',
    'min value LOW is greater than default request value HIGH',
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'defaultRequest',
    'default request value LOW is greater than max value HIGH',
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value LOW is greater than default limit value HIGH',
  ],
  ['min', 'default', 'default', 'min', 'min value LOW is greater than default value HIGH'],
  ['default', 'max', 'default', 'max', 'default value LOW is greater than max value HIGH'],
];

function validateAmounts(
  resource: string,
  own: Partial<Record<ListName, Quantity>>,
  limit: JsonObject,
  path: FieldPath,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const textOf = (name: ListName): string => textAt(limit, name, resource);
  const at = (name: ListName): FieldPath => path.child(name).key(resource);
  for (const [low, high, where, shows, text] of ORDERED) {
    const [a, b] = [own[low], own[high]];
    if (a !== undefined && b !== undefined && compareQuantity(a, b) > 0)
      issues.push(invalid(at(where), textOf(shows), text.replace('LOW', textOf(low)).replace('HIGH', textOf(high))));
  }
  const ratio = own.maxLimitRequestRatio;
  const ratioText = textOf('maxLimitRequestRatio');
  if (ratio !== undefined) {
    if (compareQuantity(ratio, ONE) < 0)
      issues.push(invalid(at('maxLimitRequestRatio'), ratioText, `ratio ${ratioText} is less than 1`));
    const most = own.min === undefined || own.max === undefined ? undefined : widestRatio(ratio, own.min, own.max);
    if (most !== undefined && most.ratio > most.limit)
      issues.push(
        invalid(
          at('maxLimitRequestRatio'),
          ratioText,
          `ratio ${ratioText} is greater than max/min = ${most.limit.toFixed(6)}`,
        ),
      );
  }
  const { default: limits, defaultRequest: requests } = own;
  if (limits !== undefined && requests !== undefined && !isOvercommitAllowed(resource)) {
    const [a, b] = [textOf('default'), textOf('defaultRequest')];
    if (compareQuantity(limits, requests) !== 0)
      issues.push(
        invalid(at('defaultRequest'), b, `default value ${a} must equal to defaultRequest value ${b} in ${resource}`),
      );
  }
  return issues;
}

/** The given ratio, and the one of maximum to minimum. Computed in thousandths where these fit into an int64. */
function widestRatio(ratio: Quantity, min: Quantity, max: Quantity): { ratio: number; limit: number } {
  const fits = [ratio, min, max].every((amount) => quantityValue(amount) < MAX_MILLI_VALUE);
  if (!fits)
    return { ratio: Number(quantityValue(ratio)), limit: Number(quantityValue(max)) / Number(quantityValue(min)) };
  return {
    ratio: Number(quantityMilliValue(ratio)) / 1000,
    limit: Number(quantityMilliValue(max)) / Number(quantityMilliValue(min)),
  };
}
