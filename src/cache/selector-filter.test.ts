import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../apimachinery/selectors/field-selector.ts';
import { NOTHING } from '../apimachinery/selectors/label-selector.ts';
import { parseLabelSelector } from '../apimachinery/selectors/label-selector-parse.ts';
import type { Facts, Filter } from './cache.ts';
import { makeStringMap } from './facts.ts';
import { selectorFilter } from './selector-filter.ts';

function filterOf(
  labels: string,
  fields = '',
  fieldOfKey?: (key: string, field: string) => string | undefined,
): Filter | undefined {
  const [parsedLabels, parsedFields] = [parseLabelSelector(labels), parseFieldSelector(fields)];
  if (!parsedLabels.ok || !parsedFields.ok) throw new Error('unfit selector');
  return selectorFilter({
    labels: parsedLabels.selector,
    fields: parsedFields.selector,
    ...(fieldOfKey === undefined ? {} : { fieldOfKey }),
  });
}
const factsOf = (labels: Record<string, string>, fields: Record<string, string> = {}, hash = 0): Facts => ({
  labels: makeStringMap(Object.entries(labels)),
  fields: makeStringMap(Object.entries(fields)),
  hash,
});

describe('selectorFilter', () => {
  it('is undefined for selectors that select everything', () => {
    expect(filterOf('')).toBeUndefined();
    expect(selectorFilter({})).toBeUndefined();
    expect(selectorFilter({ labels: NOTHING })?.matches(factsOf({}), 'k')).toBe(false);
  });

  it('selects by labels, also among facts with equal hashes', () => {
    const filter = filterOf('app in (a,b),!old')!;
    const facts = [
      factsOf({ app: 'a' }),
      factsOf({ app: 'c' }),
      factsOf({ app: 'b', old: '' }),
      factsOf({ app: 'b' }, {}, 256),
    ];
    for (let round = 0; round < 3; round++) {
      expect(facts.map((each) => filter.matches(each, 'k'))).toEqual([true, false, false, true]);
      expect(filter.matches(facts[0]!, 'k')).toBe(true);
      expect(filter.matches(facts[0]!, 'k')).toBe(true);
    }
  });

  it('selects by fields of the facts and of the key, both with labels', () => {
    const nameOf = (key: string, field: string): string | undefined =>
      field === 'metadata.name' ? key.slice(key.lastIndexOf('/') + 1) : undefined;
    const filter = filterOf('app=a', 'metadata.name=x,spec.node=', nameOf)!;
    expect(filter.matches(factsOf({ app: 'a' }), 'ns/x')).toBe(true);
    expect(filter.matches(factsOf({ app: 'a' }), 'ns/y')).toBe(false);
    expect(filter.matches(factsOf({ app: 'b' }), 'ns/x')).toBe(false);
    expect(filter.matches(factsOf({ app: 'a' }, { 'spec.node': 'n' }), 'ns/x')).toBe(false);
  });

  it('has equal texts for equal selectors only', () => {
    expect(filterOf('b=1,a=2')!.text).toBe(filterOf('a=2,b=1')!.text);
    const texts = [
      filterOf('a=1'),
      filterOf('a=2'),
      filterOf('', 'a=1'),
      filterOf('a=1', 'a=1'),
      selectorFilter({ labels: NOTHING }),
    ];
    expect(new Set(texts.map((filter) => filter!.text)).size).toBe(texts.length);
  });
});
