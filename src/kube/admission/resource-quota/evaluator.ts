/** What a kind of object uses of quotas: the interface, and the plain count that every kind has. Invariant: pure; an evaluator knows one resource. */

import { formatGroupResource, type GroupResource } from '../../../apimachinery/meta/gvk.ts';
import { quantityFromInt } from '../../../apimachinery/scalars/quantity.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import type { ResourceAmounts } from '../../shared/resource-lists.ts';

/** One condition under which a quota counts an object. */
export interface ScopeSelector {
  readonly scopeName: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

export interface Evaluator {
  /** Whether the request may change what is used. */
  handles(attributes: AdmissionAttributes): boolean;
  /** Whether a quota for this name is about these objects. */
  counts(name: string): boolean;
  /** Whether the object is in the scope. Default: in none. */
  matchesScope?(selector: ScopeSelector, object: JsonObject): boolean;
  /** Why an object that quotas for these names are about may not be written at all. */
  problem?(names: readonly string[], object: JsonObject): string | undefined;
  /** `now` in milliseconds. */
  usage(object: JsonObject, now: number): ResourceAmounts;
}

/** Names that quotas had before there was a count of everything. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  configmaps: 'configmaps',
  resourcequotas: 'resourcequotas',
  replicationcontrollers: 'replicationcontrollers',
  secrets: 'secrets',
};

export function countName(resource: GroupResource): string {
  return `count/${formatGroupResource(resource)}`;
}

export function objectCount(resource: GroupResource): Evaluator {
  const old = resource.group === '' ? OLD_NAMES[resource.resource] : undefined;
  const names = [countName(resource), ...(old === undefined ? [] : [old])];
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    counts: (name) => names.includes(name),
    usage: () => new Map(names.map((name) => [name, quantityFromInt(1)])),
  };
}

/** As a label selector would decide it; `value` is '' for an object that has none. */
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
