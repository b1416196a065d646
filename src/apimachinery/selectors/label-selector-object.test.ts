import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIssue } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import { EVERYTHING, formatLabelSelector, NOTHING } from './label-selector.ts';
import type { LabelSelectorObject } from './label-selector-object.ts';
import * as objects from './label-selector-object.ts';

const path = FieldPath.of('spec', 'selector');

describe('conversion from an object', () => {
  it('takes no object for nothing and an empty one for everything', () => {
    expect(objects.labelSelectorFromObject(undefined)).toEqual({ ok: true, selector: NOTHING });
    expect(objects.labelSelectorFromObject({})).toEqual({ ok: true, selector: EVERYTHING });
    expect(objects.labelSelectorFromObject({ matchLabels: {}, matchExpressions: [] })).toEqual({
      ok: true,
      selector: EVERYTHING,
    });
  });

  it('joins labels and expressions, ordered by key', () => {
    const object: LabelSelectorObject = {
      matchLabels: { z: '1' },
      matchExpressions: [
        { key: 'b', operator: 'In', values: ['y', 'x'] },
        { key: 'a', operator: 'Exists' },
        { key: 'c', operator: 'DoesNotExist', values: [] },
        { key: 'd', operator: 'NotIn', values: ['x'] },
      ],
    };
    expect(objects.formatLabelSelectorObject(object)).toBe('a,b in (x,y),!c,d notin (x),z=1');
  });

  it('reports the first bad requirement', () => {
    const from = (object: LabelSelectorObject): unknown => objects.labelSelectorFromObject(object);
    expect(from({ matchExpressions: [{ key: 'a', operator: 'Like' }] })).toEqual({
      ok: false,
      message: '"Like" is not a valid label selector operator',
    });
    expect(from({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toEqual({
      ok: false,
      message: "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    });
    const labelFirst = objects.labelSelectorFromObject({
      matchLabels: { '-': '' },
      matchExpressions: [{ key: 'a', operator: 'Like' }],
    });
    expect(labelFirst).toMatchObject({ ok: false, message: expect.stringContaining('key: Invalid value: "-"') });
  });

  it('prints for people', () => {
    expect(objects.formatLabelSelectorObject({})).toBe('<none>');
    expect(objects.formatLabelSelectorObject(undefined)).toBe('<none>');
    expect(objects.formatLabelSelectorObject({ matchLabels: { '-': '' } })).toBe('<error>');
  });
});

describe('conversion to an object', () => {
  it('puts equalities into matchLabels and the rest into matchExpressions', () => {
    expect(objects.parseLabelSelectorObject('a=1,b==2,c in (y,x),d notin (z),e,!f')).toEqual({
      ok: true,
      object: {
        matchLabels: { a: '1', b: '2' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['x', 'y'] },
          { key: 'd', operator: 'NotIn', values: ['z'] },
          { key: 'e', operator: 'Exists', values: [] },
          { key: 'f', operator: 'DoesNotExist', values: [] },
        ],
      },
    });
  });

  it.each([
    ['a!=b', '"!=" is not a valid label selector operator'],
    ['a>1', '"gt" isn\'t supported in label selectors'],
    [
      'a b',
      "couldn't parse the selector string \"a b\": unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
  ])('refuses %j', (text, message) => {
    expect(objects.parseLabelSelectorObject(text)).toEqual({ ok: false, message });
  });

  it('refuses NOTHING, which has no object', () => {
    expect(objects.labelSelectorToObject(NOTHING).ok).toBe(false);
  });

  it('is undone by the conversion back', () => {
    const expression = fc.oneof(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.uniqueArray(fc.constantFrom('', 'x', 'y', 'z'), { minLength: 1 }),
      }),
      fc.record({ key: fc.constantFrom('a', 'b', 'c'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const object = fc.record({
      matchLabels: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), fc.constantFrom('', 'x')),
      matchExpressions: fc.array(expression, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(object, (original) => {
        const selector = objects.labelSelectorFromObject(original);
        if (!selector.ok) throw new Error(selector.message);
        const back = objects.labelSelectorToObject(selector.selector);
        if (!back.ok) throw new Error(back.message);
        expect(objects.formatLabelSelectorObject(back.object)).toBe(
          formatLabelSelector(selector.selector) === '' ? '<none>' : objects.formatLabelSelectorObject(original),
        );
        expect(back.object.matchLabels).toEqual({ ...original.matchLabels });
      }),
      { seed: 10, numRuns: 300 },
    );
  });
});

describe('validation', () => {
  const texts = (object: LabelSelectorObject | undefined, rules: objects.LabelSelectorRules = {}): string[] =>
    objects.validateLabelSelectorObject(object, path, rules).map(formatIssue);

  it('has the paths and texts of the reference', () => {
    expect(
      texts({
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['x'] },
          { key: 'a', operator: 'Like' },
        ],
      }),
    ).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
    ]);
    expect(texts(undefined)).toEqual([]);
  });

  it('checks keys and values', () => {
    const bad = { matchLabels: { '-': 'ok' }, matchExpressions: [{ key: '+', operator: 'In', values: ['ok', '-'] }] };
    expect(texts(bad).map((text) => text.split(': ').slice(0, 3).join(': '))).toEqual([
      'spec.selector.matchLabels: Invalid value: "-"',
      'spec.selector.matchExpressions[0].key: Invalid value: "+"',
      'spec.selector.matchExpressions[0].values[1]: Invalid value: "-"',
    ]);
    expect(objects.hasInvalidLabelValue(bad)).toBe(true);
    expect(objects.hasInvalidLabelValue(undefined)).toBe(false);
  });

  it('can be told to let old values and unknown operators pass', () => {
    const object = { matchExpressions: [{ key: 'a', operator: 'Like', values: ['-'] }] };
    expect(texts(object)).toHaveLength(2);
    expect(texts(object, { allowInvalidValues: true })).toHaveLength(1);
    expect(texts(object, { allowInvalidValues: true, allowUnknownOperator: true })).toEqual([]);
  });
});

describe('plain labels of an object', () => {
  it('are its equalities, also those written as In with one value', () => {
    expect(
      objects.labelsFromSelectorObject({
        matchLabels: { a: '1' },
        matchExpressions: [{ key: 'b', operator: 'In', values: ['2'] }],
      }),
    ).toEqual({ ok: true, labels: { a: '1', b: '2' } });
  });

  it.each([
    [
      { key: 'a', operator: 'In', values: ['1', '2'] },
      'operator "In" without a single value cannot be converted into the old label selector format',
    ],
    [{ key: 'a', operator: 'Exists' }, 'operator "Exists" cannot be converted into the old label selector format'],
    [{ key: 'a', operator: 'Like' }, '"Like" is not a valid selector operator'],
  ])('%# cannot be had of other operators', (expression, message) => {
    expect(objects.labelsFromSelectorObject({ matchExpressions: [expression] })).toEqual({ ok: false, message });
  });
});
