import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import {
  BOOLEAN,
  between,
  INTEGER,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  problems,
  TEXT,
  version,
} from './fields.fixtures.ts';

describe('a list that is renamed with a field of its items', () => {
  const a = version('a', { items: listOf(objectOf({ a: TEXT, c: INTEGER }, 'a')) });
  const b = version('b', { entries: listOf(objectOf({ b: TEXT, c: INTEGER }, 'b')) });
  const fields = '{move: .spec.items, to: .spec.entries}, {move: ".spec.items[*].a", to: ".spec.entries[*].b"}';

  it('is accepted', () => {
    expect(problems(`[{from: a, to: b, fields: [${fields}]}]`, [a, b])).toEqual([]);
  });

  it('is checked item by item', () => {
    const other = version('b', { entries: listOf(objectOf({ b: INTEGER, c: TEXT }, 'b')) });
    expect(between(fields, a, other)).toEqual([
      expect.stringMatching(
        /^0.fields.1.to: .spec.items\[\*\].a of a is a string, but .spec.entries\[\*\].b of b is an/,
      ),
      expect.stringMatching(
        /^0.fields.0.to: .spec.items\[\*\].c of a is an integer, but .spec.entries\[\*\].c of b is a/,
      ),
      expect.stringContaining('.spec.entries[*].b of b is an integer, but .spec.items[*].a of a is a string'),
      expect.stringContaining('.spec.entries[*].c of b is a string, but .spec.items[*].c of a is an integer'),
    ]);
  });
});

describe('the types of moved and kept values', () => {
  const INT_OR_STRING = { 'x-kubernetes-int-or-string': true };
  const ANY = { 'x-kubernetes-preserve-unknown-fields': true };
  const mode = (...values: readonly string[]): JsonObject => ({ type: 'string', enum: [...values] });

  /** The problems of a value that is moved from one schema to another, without the way back. */
  function moved(from: JsonObject, to: JsonObject): readonly string[] {
    const found = between(
      '{move: .spec.x, to: .spec.y}',
      version('a', { x: from }),
      version('b', { y: to }),
      '{remove: .spec.y}',
    );
    return found.map((text) => text.replace(/: convert the value with.*/, ''));
  }

  it.each<[string, JsonObject, JsonObject]>([
    ['an integer to a number', INTEGER, NUMBER],
    ['an integer to an integer or a string', INTEGER, INT_OR_STRING],
    ['a string to an integer or a string', TEXT, INT_OR_STRING],
    ['a string to anything', TEXT, ANY],
    ['an object to a map', objectOf({ a: TEXT, b: TEXT }), mapOf(TEXT)],
    ['a string to one with a format', TEXT, { type: 'string', format: 'date-time' }],
    ['an integer to a lower maximum', INTEGER, { type: 'integer', maximum: 5 }],
    ['an enumeration to a longer one', mode('a'), mode('a', 'b')],
    ['a nullable field to one that is not', { type: 'string', nullable: true }, TEXT],
  ])('allow %s', (_what, from, to) => {
    expect(moved(from, to)).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['a string to an integer', TEXT, INTEGER, '.spec.x of a is a string, but .spec.y of b is an integer'],
    ['a number to an integer', NUMBER, INTEGER, 'is a number, but .spec.y of b is an integer'],
    [
      'an integer or a string to a string',
      INT_OR_STRING,
      TEXT,
      'is an integer or a string, but .spec.y of b is a string',
    ],
    ['anything to a string', ANY, TEXT, 'is of any type, but .spec.y of b is a string'],
    ['a map to an object', mapOf(TEXT), objectOf({ a: TEXT }), 'is a map, but .spec.y of b is an object'],
    ['a list to its item', listOf(TEXT), TEXT, 'is a list, but .spec.y of b is a string'],
    ['a map to one with other values', mapOf(TEXT), mapOf(INTEGER), ".spec.x['<key>'] of a is a string, but"],
    ['a list to one with other items', listOf(TEXT), listOf(INTEGER), '.spec.x[*] of a is a string, but'],
    [
      'an object with another field',
      objectOf({ f: TEXT }),
      objectOf({ f: BOOLEAN }),
      '.spec.x.f of a is a string, but',
    ],
    [
      'an enumeration to a shorter one',
      mode('a', 'b'),
      mode('a', 'c'),
      '.spec.x of a may be "b", but .spec.y of b may not',
    ],
    [
      'a date to a duration',
      { type: 'string', format: 'date' },
      { type: 'string', format: 'duration' },
      'has the format date, but .spec.y of b has the format duration',
    ],
    [
      'a minimum above the maximum',
      { type: 'integer', minimum: 9 },
      { type: 'integer', maximum: 5 },
      'has a value of at least 9, but .spec.y of b has one of at most 5',
    ],
  ])('refuse %s', (_what, from, to, message) => {
    expect(moved(from, to)).toEqual([expect.stringMatching(/^0.fields.0.to: /)]);
    expect(moved(from, to)[0]).toContain(message);
  });

  it('are compared for fields without a rule, unless they are set or removed', () => {
    const [a, b] = [version('a', { x: TEXT }), version('b', { x: INTEGER })];
    expect(between('', a, b)).toEqual([
      expect.stringMatching(/^0: .spec.x of a is a string, but .spec.x of b is an integer: .*, or remove it$/),
      expect.stringMatching(/^1: .spec.x of b is an integer, but .spec.x of a is a string/),
    ]);
    expect(between('{set: .spec.x, expression: "1"}', a, b, '{remove: .spec.x}')).toEqual([]);
  });

  it('are compared for labels, keys of maps and unlisted fields', () => {
    const a = version('a', { n: INTEGER, m: mapOf(INTEGER), any: { type: 'object', ...ANY } });
    const b = version('b', { t: TEXT, u: TEXT, any: { type: 'object', ...ANY } });
    const found = between(
      "{move: .spec.n, to: .metadata.labels.n}, {move: '.spec.m.k', to: .spec.t}, {move: .spec.any.x, to: .spec.u}",
      a,
      b,
      '{remove: .metadata.labels.n}, {remove: .spec.t}, {remove: .spec.u}',
    );
    expect(found).toEqual([
      expect.stringContaining('.spec.n of a is an integer, but .metadata.labels.n of b is a string'),
      expect.stringContaining('.spec.m.k of a is an integer, but .spec.t of b is a string'),
      expect.stringContaining('.spec.any.x of a may have any type, but .spec.u of b is a string'),
    ]);
  });
});
