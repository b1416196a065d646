/** The expected costs are those of cel-go 0.26 with the same sizes. */
import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import type { SizeHints } from '../environment.ts';
import { KUBERNETES_LIBRARIES } from '../libraries/kubernetes.ts';
import type { Range } from '../library.ts';
import { listOf, mapOf, type ObjectType, STRING } from '../types.ts';
import { UNBOUNDED } from './cost-range.ts';
import { estimateCost } from './estimate.ts';

const ITEM: ObjectType = {
  kind: 'object',
  name: 'item',
  field: (name) => (name === 'a' ? STRING : name === 'b' ? listOf(STRING) : undefined),
  fieldNames: () => ['a', 'b'],
};
const ENVIRONMENT = createEnvironment({
  libraries: KUBERNETES_LIBRARIES,
  variables: [
    { name: 'self', type: mapOf(STRING, listOf(ITEM)) },
    { name: 'text', type: STRING },
  ],
});

const SIZES: Readonly<Record<string, number>> = {
  text: 20,
  self: 3,
  'self @values': 10,
  'self @values @items': 0,
  'self @values @items a': 40,
  'self @values @items b': 7,
  'self @values @items b @items': 50,
};

function estimate(source: string, asked: string[] = []): Range {
  const result = ENVIRONMENT.check(source);
  if (!result.ok) throw new Error(result.issues[0]?.message);
  const hints: SizeHints = {
    size(path) {
      asked.push(path.join(' '));
      const max = SIZES[path.join(' ')];
      return max === undefined ? undefined : { min: 0, max };
    },
  };
  return estimateCost(result.checked, hints);
}

describe('estimateCost', () => {
  it('is zero for literals and one for names', () => {
    expect(estimate('true')).toEqual({ min: 0, max: 0 });
    expect(estimate('text == text')).toEqual({ min: 3, max: 4 });
  });

  it('multiplies the body of a loop by the size of its range', () => {
    // Per iteration: 2 for the condition, 1 for the accumulator, 1 for the name, 1 for the size, 1 for the relation.
    expect(estimate("['a', 'b', 'c'].all(x, x.size() < 3)")).toEqual({ min: 20, max: 29 });
  });

  it('uses the cheaper branch for the minimum and the more expensive one for the maximum', () => {
    expect(estimate("text == '' ? true : text.contains('x')")).toEqual({ min: 1, max: 4 });
  });

  it('has no bound if a size has none', () => {
    expect(estimate("'%s'.format([text]).contains('x')").max).toBeGreaterThan(1e18);
  });

  it('calls the size hints with the paths of keys, values and items', () => {
    const asked: string[] = [];
    estimate('self.all(k, self[k].all(i, i.a.size() < 5))', asked);
    expect(asked).toEqual(expect.arrayContaining(['self', 'self @keys', 'self @values', 'self @values @items a']));
  });

  it('confuses the same paths as cel-go', () => {
    // `i.a` in the loop over `i.b` overwrites the path of `i.b`: 40 iterations instead of 7.
    const right = estimate('self[text].all(i, i.b.all(x, x.size() < 5))');
    const wrong = estimate('self[text].all(i, i.b.all(x, x.size() < i.a.size()))');
    expect(right.max).toBe(4 + 10 * (6 + 7 * 6));
    expect(wrong.max).toBe(4 + 10 * (6 + 40 * 9));
  });

  it('saturates', () => {
    const unknown = "'%s'.format([text]).split('')";
    expect(estimate(`${unknown}.all(a, ${unknown}.all(b, a == b))`).max).toBe(UNBOUNDED);
  });
});
