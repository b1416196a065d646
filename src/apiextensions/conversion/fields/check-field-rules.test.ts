import { describe, expect, it } from 'vitest';
import { BOOLEAN, between, objectOf, problems, TEXT, version } from './fields.fixtures.ts';

const V1BETA1 = version('v1beta1', { cron: TEXT, image: TEXT });
const V1 = version('v1', { schedule: TEXT, image: TEXT });
const RENAME = '[{from: v1beta1, to: v1, fields: [{move: .spec.cron, to: .spec.schedule}]}]';

describe('the annotation', () => {
  it('may be a rename', () => {
    expect(problems(RENAME, [V1BETA1, V1])).toEqual([]);
  });

  it.each([
    ['nonsense', 'x: [', /yaml/i],
    ['an object', 'a: 1', ': must be a list of {from, to, fields, lossy}'],
    ['an unknown field', '[{from: a, to: b, feilds: []}]', '0.feilds: unknown field: the fields are from, to, fields'],
    ['no version', '[{to: b, fields: []}]', '0.from: must be a string'],
    ['twice the same version', '[{from: v1, to: v1}]', '0.to: must be another version'],
    [
      'twice the same pair',
      '[{from: v1, to: v1beta1}, {from: v1, to: v1beta1}]',
      '1: there are rules from v1 to v1beta1',
    ],
    ['an unknown rule', '[{from: a, to: b, fields: [{rename: .x}]}]', 'must have one of move, default, set, remove'],
    ['half a move', '[{from: a, to: b, fields: [{move: .spec.x}]}]', '0.fields.0.to: is missing beside move'],
    ['a bad path', '[{from: a, to: b, fields: [{remove: spec}]}]', 'must be a path such as .spec.ports[*].port'],
    ['a change of identity', '[{from: a, to: b, fields: [{remove: .metadata.name}]}]', 'only labels and annotations'],
    ['a change of type', '[{from: a, to: b, fields: [{remove: .kind}]}]', 'conversion sets apiVersion and kind itself'],
    [
      'a move out of a list',
      '[{from: a, to: b, fields: [{move: ".spec.l[*].a", to: .spec.a}]}]',
      '0.fields.0.to: must begin with .spec.l[*], where the items of .spec.l are after conversion',
    ],
    [
      'a move into a list',
      '[{from: a, to: b, fields: [{move: .spec.a, to: ".spec.l[*].a"}]}]',
      'a value from outside of a list cannot be moved into its items',
    ],
    [
      'a move to items of a list that stays',
      '[{from: a, to: b, fields: [{move: ".spec.l[*].a", to: ".spec.m[*].b"}]}]',
      '{move: .spec.l, to: ...} moves the list itself',
    ],
    [
      'two moves of a field',
      '[{from: a, to: b, fields: [{move: .spec.a, to: .spec.b}, {move: .spec.a, to: .spec.c}]}]',
      '0.fields.1: conflicts with {move: .spec.a, to: .spec.b}',
    ],
    [
      'two moves to a field',
      '[{from: a, to: b, fields: [{move: .spec.a, to: .spec.b}, {set: .spec.b, expression: "1"}]}]',
      '0.fields.1: conflicts with {move: .spec.a, to: .spec.b}',
    ],
    [
      'a set field around another rule',
      '[{from: a, to: b, fields: [{set: .spec.b, expression: "{}"}, {move: .spec.a, to: .spec.b.c}]}]',
      '0.fields.1: conflicts with {set: .spec.b, expression: "{}"}',
    ],
    [
      'an unknown version',
      '[{from: v1beta1, to: v9, fields: [{remove: .spec.cron}]}]',
      '0.to: is not a version of the definition; its versions are v1beta1, v1',
    ],
    [
      'a misspelt field',
      '[{from: v1beta1, to: v1, fields: [{move: .spec.corn, to: .spec.schedule}]}]',
      '0.fields.0.move: is not a field of version v1beta1; did you mean .spec.cron?',
    ],
    [
      'a field of the other version',
      '[{from: v1beta1, to: v1, fields: [{move: .spec.schedule, to: .spec.cron}]}]',
      '0.fields.0.to: is not a field of version v1, but of v1beta1: this path must name a field of v1',
    ],
    [
      'an unknown lossy field',
      '[{from: v1beta1, to: v1, lossy: [.spec.imag]}]',
      '0.lossy.0: is not a field of version v1beta1',
    ],
    [
      'an expression with an unknown field',
      '[{from: v1beta1, to: v1, fields: [{set: .spec.schedule, expression: self.spec.corn}]}]',
      "0.fields.0.expression: ERROR: <input>:1:10: undefined field 'corn'",
    ],
  ])('is refused with %s', (_what, text, message) => {
    const found = problems(text, [V1BETA1, V1]).join('\n');
    if (typeof message === 'string') expect(found).toContain(message);
    else expect(found).toMatch(message);
  });
});

describe('defaults', () => {
  const port = objectOf({ size: { type: 'integer', maximum: 9 } }, 'size');
  const rule = { rule: 'self != "bad"' };
  const a = version('a', {});
  const b = version('b', { suspend: BOOLEAN, port, name: { type: 'string', 'x-kubernetes-validations': [rule] } });

  it.each([
    ['.spec.suspend', '"no"', 'spec.suspend: Invalid value: "string": must be of type boolean: "string"'],
    ['.spec.port', '{size: 10}', 'spec.port.size: Invalid value: 10: size in body should be less than or equal to 9'],
    ['.spec.port', '{}', 'spec.port.size: Required value'],
    ['.spec.port', '{size: 1, m: 2}', 'must not have unknown fields'],
    ['.spec.name', 'bad', 'failed rule: self != "bad"'],
    ['.metadata.labels.x', '"a b"', 'a valid label must be an empty string or consist of'],
    ['.metadata.annotations.x', '1', 'must be a string'],
  ])('%s must not be %s', (path, value, message) => {
    const found = between(`{default: ${path}, value: ${value}}`, a, b);
    expect(found).toEqual([expect.stringMatching(/^0.fields.0.value: /)]);
    expect(found[0]).toContain(message);
  });

  it('may be valid values', () => {
    const fields =
      '{default: .spec.suspend, value: false}, {default: .spec.port, value: {size: 1}}, {default: .spec.name, value: x}';
    expect(between(fields, a, b)).toEqual([]);
  });
});
