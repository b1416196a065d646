import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as fields from './field-selector.ts';
import { EVERY_FIELD, type FieldSelector, type FieldTerm } from './field-selector.ts';

function parsed(text: string): FieldSelector {
  const result = fields.parseFieldSelector(text);
  if (!result.ok) throw new Error(result.message);
  return result.selector;
}

const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

const term: fc.Arbitrary<FieldTerm> = fc.record({
  field: fc.constantFrom('metadata.name', 'a', 'b', 'spec.x', 'é'),
  operator: fc.constantFrom('=', '!='),
  value: fc.string({ unit: fc.constantFrom(...'ab\\,=!é😀'), maxLength: 5 }),
});
const lookupIn =
  (record: Readonly<Record<string, string>>): fields.FieldLookup =>
  (field) =>
    record[field];

describe('parse and print', () => {
  it('are inverse to each other for terms in the order of their texts', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
        const once = parsed(fields.formatFieldSelector(fields.fieldSelectorOf(terms)));
        expect(parsed(fields.formatFieldSelector(once))).toEqual(once);
        expect(new Set(once.terms.map((one) => JSON.stringify(one)))).toEqual(
          new Set(terms.map((one) => JSON.stringify(one))),
        );
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it.each([
    ['', ''],
    [',,', ''],
    ['b=2,a=1', 'a=1,b=2'],
    ['a==1', 'a=1'],
    ['a!=', 'a!='],
    ['=', ''],
    ['!=', ''],
    ['=b', '=b'],
    ['a=\\\\\\,\\=', 'a=\\\\\\,\\='],
    ['a\\,b=c', 'a\\,b=c'],
    ['a!b=c', 'a!b=c'],
  ])('%j prints as %j', (text, printed) => {
    expect(fields.formatFieldSelector(parsed(text))).toBe(printed);
  });

  it('unescapes values', () => {
    expect(parsed('a=x\\,y\\=z\\\\').terms).toEqual([{ field: 'a', operator: '=', value: 'x,y=z\\' }]);
  });

  it('undoes its own escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), (value) => {
        expect(fields.unescapeFieldValue(fields.escapeFieldValue(value))).toEqual({ ok: true, value });
      }),
      { seed: 12, numRuns: 300 },
    );
  });
});

describe('bad text', () => {
  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j gives the message of the reference', (text, message) => {
    expect(fields.parseFieldSelector(text)).toEqual({ ok: false, message });
  });

  it('refuses an unescaped comma in a value by itself', () => {
    expect(fields.unescapeFieldValue('a,b')).toEqual({
      ok: false,
      message: 'invalid field selector: unescaped character in value: 44',
    });
  });

  it('never throws, whatever the text', () => {
    const near = fc.string({ unit: fc.constantFrom(...'ab=!\\,é\0'), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: character })), (text) => {
        expect(typeof fields.parseFieldSelector(text).ok).toBe('boolean');
      }),
      { seed: 13, numRuns: 500 },
    );
    expect(fields.parseFieldSelector('\\'.repeat(300_001)).ok).toBe(false);
  });
});

describe('matching', () => {
  it('takes a missing field for an empty one', () => {
    expect(fields.matchesFields(parsed('a='), lookupIn({}))).toBe(true);
    expect(fields.matchesFields(parsed('a!='), lookupIn({}))).toBe(false);
    expect(fields.matchesFields(parsed('a!=x,b=1'), lookupIn({ b: '1' }))).toBe(true);
    expect(fields.matchesFields(parsed('a!=x,b=1'), lookupIn({ a: 'x', b: '1' }))).toBe(false);
  });

  it('is the same compiled', () => {
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'spec.x'), fc.constantFrom('', 'a', 'b'));
    const simple = fc.record({
      field: fc.constantFrom('a', 'b', 'spec.x'),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.constantFrom('', 'a', 'b'),
    });
    fc.assert(
      fc.property(fc.array(simple, { maxLength: 3 }), record, (terms, values) => {
        const selector = fields.fieldSelectorOf(terms);
        const lookup = lookupIn(values);
        expect(fields.compileFieldSelector(selector)(lookup)).toBe(fields.matchesFields(selector, lookup));
      }),
      { seed: 14, numRuns: 300 },
    );
  });

  it('reports whether a selector selects every object', () => {
    expect(fields.compileFieldSelector(EVERY_FIELD)(lookupIn({}))).toBe(true);
    expect([EVERY_FIELD, parsed('a=b')].map(fields.isEveryField)).toEqual([true, false]);
  });
});

describe('introspection', () => {
  it('returns the value that a field must have', () => {
    const selector = parsed('a=1,b!=2,metadata.name=x');
    expect(['metadata.name', 'a', 'b', 'c'].map((field) => fields.requiredFieldValue(selector, field))).toEqual([
      'x',
      '1',
      undefined,
      undefined,
    ]);
  });
});
