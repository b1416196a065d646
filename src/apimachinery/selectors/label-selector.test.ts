import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIssues } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import * as selectors from './label-selector.ts';
import { EVERYTHING, type LabelRequirement, type LabelSelector, NOTHING } from './label-selector.ts';
import { compileLabelSelectorForRecord } from './label-selector-match.ts';
import { parseLabelSelector } from './label-selector-parse.ts';

const keys = ['a', 'b', 'in', 'notin', 'constructor', 'example.com/app', 'x-y'];
const values = ['', 'a', 'b', 'in', 'notin', '1', '07', '42', 'A_b.c'];

const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);

const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('=', '==', '!='), values: fc.tuple(value) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.tuple(fc.constantFrom('0', '1', '07', '42')) }),
  fc.record({
    key,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 12 }).map((list) => list.sort()),
  }),
);
const selector: fc.Arbitrary<LabelSelector> = fc
  .array(requirement, { maxLength: 5 })
  .map((requirements) => selectors.labelSelectorOf(requirements));
const labels = fc.dictionary(key, value, { maxKeys: 5 });

/** Any character at all; the library's own unit for that takes seconds to set up. */
const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

/** Text near the language: mostly tokens, some of it nonsense. */
const nearText = fc
  .array(
    fc.constantFrom(...keys, ...values, ...'=!(),><', '==', '!=', ' in ', ' notin ', ' ', '\t', '\0', '-', 'é', '"'),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(''));

function parsed(text: string): LabelSelector {
  const result = parseLabelSelector(text);
  if (!result.ok) throw new Error(result.message);
  return result.selector;
}

describe('parse and print', () => {
  it('are inverse to each other', () => {
    fc.assert(
      fc.property(selector, (original) => {
        expect(parsed(selectors.formatLabelSelector(original))).toEqual(original);
      }),
      { seed: 6, numRuns: 500 },
    );
  });

  it('give canonical text: parsing and printing it again changes nothing', () => {
    let accepted = 0;
    fc.assert(
      fc.property(nearText, (text) => {
        const result = parseLabelSelector(text);
        if (!result.ok) return;
        accepted++;
        const printed = selectors.formatLabelSelector(result.selector);
        expect(selectors.formatLabelSelector(parsed(printed))).toBe(printed);
      }),
      { seed: 7, numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  it.each([
    ['', ''],
    ['  a ', 'a'],
    ['! a', '!a'],
    ['b=1,a', 'a,b=1'],
    ['a==b,a=b,a!=b', 'a==b,a=b,a!=b'],
    ['a in (c,b,,c)', 'a in (,b,c)'],
    ['a notin ()', 'a notin ()'],
    ['a in (,)', 'a in ()'],
    ['a=,b', 'a=,b'],
    ['a>5,b<07', 'a>5,b<07'],
    ['in in (in),notin', 'in in (in),notin'],
    ['a\tin\n(b)', 'a in (b)'],
  ])('%j prints as %j', (text, printed) => {
    expect(selectors.formatLabelSelector(parsed(text))).toBe(printed);
  });
});

describe('bad text', () => {
  it.each([
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a==(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a>b',
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%j gives the message of the reference', (text, message) => {
    expect(parseLabelSelector(text)).toEqual({ ok: false, message });
  });

  it('names the key and the value, with the path it stands at', () => {
    const message = (text: string, path?: FieldPath): string => {
      const result = parseLabelSelector(text, path);
      return result.ok ? '' : result.message;
    };
    expect(message('-a')).toContain('unable to parse requirement: <nil>: Invalid value: "-a": name part must consist');
    expect(message('a=-')).toContain(
      'unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must',
    );
    expect(message('a=-', FieldPath.of('spec', 'selector'))).toContain(
      'unable to parse requirement: spec.selector.values[0][a]: Invalid value',
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(nearText, fc.string({ unit: character })), (text) => {
        expect(typeof parseLabelSelector(text).ok).toBe('boolean');
      }),
      { seed: 8, numRuns: 500 },
    );
  });

  it('is refused in linear time', () => {
    const long = `a in (${'b,'.repeat(100_000)}`;
    expect(parseLabelSelector(long).ok).toBe(false);
    expect(parseLabelSelector('!'.repeat(200_000)).ok).toBe(false);
    expect(parseLabelSelector(`a${' '.repeat(200_000)}b`).ok).toBe(false);
  });
});

describe('matching', () => {
  it('follows the operators', () => {
    const matching = (text: string): boolean[] =>
      [{}, { a: '' }, { a: '5' }, { a: 'x' }].map((set: Readonly<Record<string, string>>) =>
        selectors.matchesLabels(parsed(text), (name) => set[name]),
      );
    expect(matching('a')).toEqual([false, true, true, true]);
    expect(matching('!a')).toEqual([true, false, false, false]);
    expect(matching('a=x')).toEqual([false, false, false, true]);
    expect(matching('a!=x')).toEqual([true, true, true, false]);
    expect(matching('a in (,5)')).toEqual([false, true, true, false]);
    expect(matching('a notin (,5)')).toEqual([true, false, false, true]);
    expect(matching('a>4')).toEqual([false, false, true, false]);
    expect(matching('a<9223372036854775807')).toEqual([false, false, true, false]);
    expect(matching('')).toEqual([true, true, true, true]);
  });

  it('is the same compiled', () => {
    fc.assert(
      fc.property(selector, labels, (original, set) => {
        const lookup = (name: string): string | undefined => (Object.hasOwn(set, name) ? set[name] : undefined);
        const expected = selectors.matchesLabels(original, lookup);
        expect(compileLabelSelectorForRecord(original)(set)).toBe(expected);
      }),
      { seed: 9, numRuns: 500 },
    );
  });

  it('treats undefined labels as none and ignores inherited keys', () => {
    for (const text of [
      'constructor',
      'constructor!=a',
      'constructor notin (a,b)',
      '!constructor',
      'constructor in (a,b)',
    ])
      expect(compileLabelSelectorForRecord(parsed(text))(undefined), text).toBe(
        selectors.matchesLabels(parsed(text), () => undefined),
      );
  });

  it('distinguishes everything from nothing', () => {
    expect(compileLabelSelectorForRecord(EVERYTHING)(undefined)).toBe(true);
    expect(compileLabelSelectorForRecord(NOTHING)({ a: 'b' })).toBe(false);
    expect(selectors.matchesLabels(NOTHING, () => 'x')).toBe(false);
    expect([EVERYTHING, NOTHING, parsed(''), parsed('a')].map(selectors.isEverything)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('requirements', () => {
  it.each<[LabelRequirement, string]>([
    [
      { key: 'a', operator: 'in', values: [] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { key: 'a', operator: '=', values: ['b', 'c'] },
      'values: Invalid value: ["b","c"]: exact-match compatibility requires one single value',
    ],
    [
      { key: 'a', operator: 'exists', values: ['b'] },
      'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    ],
    [
      { key: 'a', operator: 'gt', values: [] },
      "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required",
    ],
    [
      { key: 'a', operator: 'like' as 'in', values: [] },
      'operator: Unsupported value: "like": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"',
    ],
  ])('%# are refused with the text of the reference', (wrong, text) => {
    expect(formatIssues(selectors.validateRequirement(wrong))).toBe(text);
  });

  it('come from plain labels as equalities', () => {
    expect(selectors.formatLabelSelector(selectors.labelSelectorOfLabels({ b: '1', a: '' }))).toBe('a=,b=1');
    expect(selectors.labelSelectorOfLabels({})).toBe(EVERYTHING);
  });
});

describe('parseInt64', () => {
  it.each<[string, bigint | undefined]>([
    ['0', 0n],
    ['-0', 0n],
    ['+007', 7n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', undefined],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', undefined],
    [`${'0'.repeat(5000)}1`, 1n],
    ['1'.repeat(5000), undefined],
    ['', undefined],
    ['+', undefined],
    ['1_0', undefined],
    ['1.0', undefined],
  ])('reads text %# as the reference does', (text, expected) => {
    expect(selectors.parseInt64(text)).toBe(expected);
  });
});
