/** The interface of quota evaluators, and the evaluator that counts objects. An evaluator knows one resource. */

import { formatGroupResource, type GroupResource } from '../../../apimachinery/meta/gvk.ts';
import { quantityFromInt } from '../../../apimachinery/scalars/quantity.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import type { ResourceAmounts } from '../../shared/resource-lists.ts';

/** A scope of a quota: a condition that an object must meet to be counted. */
export interface ScopeSelector {
  readonly scopeName: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

export interface Evaluator {
  /** Returns true if the request may change the usage. */
  handles(attributes: AdmissionAttributes): boolean;
  /** Returns true if this kind uses the resource of this name. */
  counts(name: string): boolean;
  /** Returns true if the object is in the scope. Default: the object is in no scope. */
  matchesScope?(selector: ScopeSelector, object: JsonObject): boolean;
  /**
   * Called before `usage`, with the names that a quota limits and this kind counts. Returns why the object must be
   * refused whatever its usage, and undefined if it may be counted.
   */
  problem?(names: readonly string[], object: JsonObject): string | undefined;
  /** True if every object has the same usage: one of each name that `counts`. Default false. */
  readonly isUniform?: boolean;
  /** Returns the usage of one object. `now` is in milliseconds. */
  usage(object: JsonObject, now: number): ResourceAmounts;
}

/** The resources of the core group whose names are limits, too. Such limits preceded `count/`. */
const OLD_NAMES: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
const COUNT = 'count/';

export function countName(resource: GroupResource): string {
  return `${COUNT}${formatGroupResource(resource)}`;
}

/** The resource whose objects a limit counts. Undefined for a limit of another form. */
export function countedResource(name: string): GroupResource | undefined {
  if (OLD_NAMES.has(name)) return { group: '', resource: name };
  if (!name.startsWith(COUNT)) return undefined;
  const [resource = '', ...group] = name.slice(COUNT.length).split('.');
  return { group: group.join('.'), resource };
}

export function objectCount(resource: GroupResource): Evaluator {
  const hasOldName = resource.group === '' && OLD_NAMES.has(resource.resource);
  const names = [countName(resource), ...(hasOldName ? [resource.resource] : [])];
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    counts: (name) => names.includes(name),
    isUniform: true,
    usage: () => new Map(names.map((name) => [name, quantityFromInt(1)])),
  };
}

/** Decides like a label selector. `value` is '' if the object has none. */
export function matchesValue({ operator, values }: ScopeSelector, value: string): boolean {
  switch (operator) {
    case 'Exists':
      return value !== '';
    case 'DoesNotExist':
      return value === '';
    case 'In':
      return value !== '' && values.includes(value);
    case 'NotIn':
      return value === '' || !values.includes(value);
    default:
      return false;
  }
}
