import { describe, expect, it } from 'vitest';
import { formatIssue } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import { EVERYTHING, NOTHING } from './label-selector.ts';
import type { LabelSelectorObject } from './label-selector-object.ts';
import * as objects from './label-selector-object.ts';

const path = FieldPath.of('spec', 'selector');

describe('conversion from an object', () => {
  it('reads an absent object as NOTHING and an empty one as EVERYTHING', () => {
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

  it('prints for tables', () => {
    expect(objects.formatLabelSelectorObject({})).toBe('<none>');
    expect(objects.formatLabelSelectorObject(undefined)).toBe('<none>');
    expect(objects.formatLabelSelectorObject({ matchLabels: { '-': '' } })).toBe('<error>');
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

  it('has options that allow old values and unknown operators', () => {
    const object = { matchExpressions: [{ key: 'a', operator: 'Like', values: ['-'] }] };
    expect(texts(object)).toHaveLength(2);
    expect(texts(object, { allowInvalidValues: true })).toHaveLength(1);
    expect(texts(object, { allowInvalidValues: true, allowUnknownOperator: true })).toEqual([]);
  });
});
