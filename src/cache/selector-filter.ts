/**
 * Makes a filter over facts from label and field selectors.
 * Invariant: two filters have equal texts only if their selectors are equal.
 */
import {
  compileFieldSelector,
  type FieldSelector,
  formatFieldSelector,
  isEveryField,
} from '../apimachinery/selectors/field-selector.ts';
import { formatLabelSelector, isEverything, type LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import { compileLabelSelectorForRecord } from '../apimachinery/selectors/label-selector-match.ts';
import type { Facts, Filter } from './cache.ts';

export interface SelectorFilterOptions {
  readonly labels?: LabelSelector;
  readonly fields?: FieldSelector;
  /** Returns the value of a field that is part of the key (name, namespace); undefined for all other fields. */
  readonly fieldOfKey?: (key: string, field: string) => string | undefined;
}

/**
 * Returns undefined if the selectors select every object. A field that is neither in the key nor in the facts counts as
 * the empty string.
 */
export function selectorFilter(options: SelectorFilterOptions): Filter | undefined {
  const labels = options.labels === undefined || isEverything(options.labels) ? undefined : options.labels;
  const fields = options.fields === undefined || isEveryField(options.fields) ? undefined : options.fields;
  if (labels === undefined && fields === undefined) return undefined;
  const text = JSON.stringify([
    labels === undefined ? null : labels.matchesNothing || formatLabelSelector(labels),
    fields === undefined ? null : formatFieldSelector(fields),
  ]);
  const matchesLabels = labels === undefined ? undefined : compileLabelSelectorForRecord(labels);
  if (fields === undefined) return { text, matches: remembering(matchesLabels!) };
  const matchesFields = compileFieldSelector(fields);
  const { fieldOfKey } = options;
  const matches = (facts: Facts, key: string): boolean =>
    (matchesLabels === undefined || matchesLabels(facts.labels)) &&
    matchesFields((field) => fieldOfKey?.(key, field) ?? facts.fields[field] ?? '');
  return { text, matches };
}

// A power of two. Enough for the label sets of most kinds, and small enough to allocate for each list.
const SLOTS = 256;

/**
 * Caches the results of `test` by facts. Objects share their facts (`FactsPool`), so most objects of a list hit the
 * cache.
 */
function remembering(test: (labels: Facts['labels']) => boolean): (facts: Facts) => boolean {
  const known = new Array<Facts | undefined>(SLOTS).fill(undefined);
  const answers = new Uint8Array(SLOTS);
  return (facts) => {
    const slot = facts.hash & (SLOTS - 1);
    if (known[slot] === facts) return answers[slot] === 1;
    const answer = test(facts.labels);
    known[slot] = facts;
    answers[slot] = answer ? 1 : 0;
    return answer;
  };
}
