import { describe, expect, it } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { parseStructural } from '../structural/parse-structural.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { checkRules } from './check-rules.ts';
import { declaredType } from './declared-type.ts';
import { defaultRules, rulesOf } from './rules-of.ts';

function structural(schema: JsonObject): StructuralSchema {
  const parsed = parseStructural(schema);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.schema;
}

/** A resource whose `spec` has these properties and rules. */
function withSpec(
  properties: JsonObject,
  rules: readonly (string | JsonObject)[],
  more: JsonObject = {},
): StructuralSchema {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return structural({
    type: 'object',
    properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': list, ...more } },
  });
}

function judge(
  schema: StructuralSchema,
  spec: JsonObject,
  oldSpec?: JsonObject,
  budget = 10_000_000,
): { issues: string[]; warnings: string[] } {
  const warnings: string[] = [];
  const object = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'n' }, spec };
  const old = oldSpec === undefined ? undefined : { ...object, spec: oldSpec };
  const issues = rulesOf(schema).evaluate(object, { old, budget, warn: (text) => void warnings.push(text) });
  return { issues: issues.map(formatIssue), warnings };
}

const INTEGER = { type: 'integer' };
const STRING = { type: 'string' };

describe('rules of a schema', () => {
  it('report failures with their path', () => {
    const schema = withSpec({ min: INTEGER, max: INTEGER }, ['self.min <= self.max']);
    expect(judge(schema, { min: 1, max: 2 }).issues).toEqual([]);
    expect(judge(schema, { min: 3, max: 2 }).issues).toEqual([
      'spec: Invalid value: failed rule: self.min <= self.max',
    ]);
  });

  it('report message, messageExpression, reason and fieldPath', () => {
    const schema = withSpec({ a: INTEGER }, [
      { rule: 'self.a > 1', message: ' too small ' },
      { rule: 'self.a > 2', messageExpression: '"got " + string(self.a)', message: 'unused' },
      { rule: 'self.a > 3', messageExpression: '"  "', message: 'fallback', reason: 'FieldValueForbidden' },
      { rule: 'self.a > 4', reason: 'FieldValueRequired', fieldPath: '.a', message: 'm' },
      { rule: 'self.a > 5', reason: 'FieldValueDuplicate' },
    ]);
    expect(judge(schema, { a: 1 }).issues).toEqual([
      'spec: Invalid value: too small',
      'spec: Invalid value: got 1',
      'spec: Forbidden: fallback',
      'spec.a: Required value: m',
      'spec: Duplicate value',
    ]);
  });

  it('show the value of a scalar', () => {
    const schema = structural({
      type: 'object',
      properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 5' }] } },
    });
    const issues = rulesOf(schema).evaluate({ n: 7 }, { old: undefined, budget: 1e7, warn: () => undefined });
    expect(issues.map(formatIssue)).toEqual(['n: Invalid value: 7: failed rule: self < 5']);
  });

  it('can read metadata.name of a resource, and properties by their escaped names', () => {
    const schema = structural({
      type: 'object',
      properties: { 'a-b': INTEGER, namespace: INTEGER, __x: INTEGER, 'c.d/e': INTEGER },
      'x-kubernetes-validations': [
        { rule: 'self.metadata.name == "n" && self.kind == "A"' },
        {
          rule: 'self.a__dash__b == 1 && self.__namespace__ == 2 && self.__underscores__x == 3 && self.c__dot__d__slash__e == 4',
        },
      ],
    });
    const object = { kind: 'A', metadata: { name: 'n' }, 'a-b': 1, namespace: 2, __x: 3, 'c.d/e': 4 };
    expect(rulesOf(schema).evaluate(object, { old: undefined, budget: 1e7, warn: () => undefined })).toEqual([]);
  });

  it('run on items, on values of maps and below allOf', () => {
    const schema = structural({
      type: 'object',
      properties: {
        list: { type: 'array', items: { ...INTEGER, 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
        map: {
          type: 'object',
          additionalProperties: { ...STRING, 'x-kubernetes-validations': [{ rule: 'self != ""' }] },
        },
        both: {
          ...INTEGER,
          'x-kubernetes-validations': [{ rule: 'self != 9' }],
          allOf: [{ 'x-kubernetes-validations': [{ rule: 'self < 5' }] }],
        },
      },
    });
    const issues = rulesOf(schema).evaluate(
      { list: [1, 0], map: { k: '' }, both: 6 },
      { old: undefined, budget: 1e7, warn: () => undefined },
    );
    expect(issues.map(formatIssue)).toEqual([
      'list[1]: Invalid value: 0: failed rule: self > 0',
      'map[k]: Invalid value: "": failed rule: self != ""',
      'both: Invalid value: 6: failed rule: self < 5',
    ]);
  });

  it('run transition rules only if there is an old value, unless optionalOldSelf is set', () => {
    const schema = withSpec({ a: { ...INTEGER, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] } }, [
      { rule: 'oldSelf.hasValue() ? self.a == oldSelf.value().a : self.a == 1', optionalOldSelf: true },
    ]);
    expect(judge(schema, { a: 1 }).issues).toEqual([]);
    expect(judge(schema, { a: 2 }).issues).toHaveLength(1);
    expect(judge(schema, { a: 2 }, { a: 3 }).issues).toEqual([
      'spec: Invalid value: failed rule: oldSelf.hasValue() ? self.a == oldSelf.value().a : self.a == 1',
      'spec.a: Invalid value: 2: failed rule: self >= oldSelf',
    ]);
  });

  it('report an old value that does not fit the schema any more', () => {
    const schema = withSpec({ a: INTEGER }, ['self.a >= oldSelf.a', 'self.a > 0']);
    const old = ['was a list'] as unknown as JsonObject;
    expect(judge(schema, { a: 1 }, old).issues).toEqual([
      'spec: Invalid value: "object": invalid data, expected a map for the provided schema with type=object evaluating rule: self.a >= oldSelf.a',
    ]);
  });

  it('report an old value with a part that does not fit the schema, at every level', () => {
    const schema = withSpec({ l: { type: 'array', items: STRING } }, ['self == oldSelf', 'oldSelf.l[0] == "a"']);
    const [first, second] = judge(schema, { l: ['a'] }, { l: [1] }).issues;
    expect(first).toContain('invalid data, expected string, got int64 evaluating rule: self == oldSelf');
    expect(second).toContain('invalid data, expected string, got int64 evaluating rule: oldSelf.l[0] == "a"');
  });

  it('pair items of a map list with old items by their keys', () => {
    const items = {
      type: 'object',
      properties: { name: STRING, n: INTEGER },
      'x-kubernetes-validations': [{ rule: 'self.n == oldSelf.n', message: 'immutable' }],
    };
    const schema = withSpec(
      { l: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } },
      [],
    );
    const old = {
      l: [
        { name: 'a', n: 1 },
        { name: 'b', n: 2 },
      ],
    };
    expect(
      judge(
        schema,
        {
          l: [
            { name: 'b', n: 2 },
            { name: 'c', n: 9 },
          ],
        },
        old,
      ).issues,
    ).toEqual([]);
    expect(judge(schema, { l: [{ name: 'b', n: 3 }] }, old).issues).toEqual(['spec.l[0]: Invalid value: immutable']);
  });

  it('warn instead of failing on values that did not change', () => {
    const schema = withSpec({ a: { ...INTEGER, 'x-kubernetes-validations': [{ rule: 'self > 5' }] }, b: INTEGER }, []);
    const ratcheted = judge(schema, { a: 1, b: 2 }, { a: 1, b: 1 });
    expect(ratcheted.issues).toEqual([]);
    expect(ratcheted.warnings).toEqual(['spec.a: Invalid value: 1: failed rule: self > 5']);
    expect(judge(schema, { a: 2, b: 1 }, { a: 1, b: 1 }).issues).toHaveLength(1);
  });

  it('report errors of the evaluation', () => {
    const properties = {
      a: INTEGER,
      any: { 'x-kubernetes-int-or-string': true },
      l: { type: 'array', items: INTEGER },
    };
    const schema = withSpec(properties, ['self.a / 0 == 1', 'self.l[3] == 1', 'self.any < 5']);
    expect(judge(schema, { a: 1, any: 'x', l: [] }).issues).toEqual([
      'spec: Invalid value: "object": division by zero evaluating rule: self.a / 0 == 1',
      'spec: Invalid value: "object": index out of bounds: 3 evaluating rule: self.l[3] == 1',
      'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.any < 5',
    ]);
  });

  it('stop when the budget is spent, and report this once', () => {
    const schema = withSpec({ l: { type: 'array', items: INTEGER } }, [
      'self.l.all(x, x > 0)',
      'self.l.exists(x, x == 1)',
    ]);
    const spec = { l: Array.from({ length: 50 }, () => 1) };
    expect(judge(schema, spec, undefined, 100).issues).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('stop an evaluation that costs more than a million', () => {
    const l = { type: 'array', items: INTEGER };
    const schema = withSpec({ l }, [
      'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))',
      'self.l.size() < 0',
    ]);
    const spec = { l: Array.from({ length: 100 }, () => 1) };
    expect(judge(schema, spec).issues).toEqual([
      'spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))',
    ]);
  });

  it('compare set lists and map lists without regard to order', () => {
    const set = { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' };
    const schema = withSpec({ s: set, t: set }, [
      'self.s == self.t',
      'self.s + ["z"] == ["z", "a", "b"] && (self.s + self.t).size() == 2',
    ]);
    expect(judge(schema, { s: ['a', 'b'], t: ['b', 'a'] }).issues).toEqual([]);
  });

  it('see dates, durations, bytes and numbers with their CEL types', () => {
    const schema = withSpec(
      {
        at: { type: 'string', format: 'date-time' },
        for: { type: 'string', format: 'duration' },
        raw: { type: 'string', format: 'byte' },
        x: { type: 'number' },
      },
      [
        'self.at.getFullYear() == 2020',
        'self.__for__ == duration("90m")',
        'self.raw == b"abc"',
        'self.x == 1.0 && self.x / 2.0 == 0.5',
      ],
    );
    expect(judge(schema, { at: '2020-05-06T07:08:09Z', for: '1h30m', raw: 'YWJj', x: 1 }).issues).toEqual([]);
  });

  it('treat a null property as absent', () => {
    const schema = withSpec({ a: { ...INTEGER, nullable: true } }, ['!has(self.a)']);
    expect(judge(schema, { a: null }).issues).toEqual([]);
  });

  it('cannot read fields that the schema does not list', () => {
    const schema = withSpec({ any: { 'x-kubernetes-preserve-unknown-fields': true }, a: INTEGER }, ['has(self.any)']);
    expect(judge(schema, { a: 1 }).issues[0]).toContain(
      "rule compile error: compilation failed: ERROR: <input>:1:4: undefined field 'any'",
    );
  });
});

describe('checkRules', () => {
  function verdicts(schema: JsonObject) {
    const checked = checkRules(structural(schema), false);
    if (!checked.ok) throw new Error(checked.message);
    return checked.verdicts;
  }

  it('reports type errors with the messages of cel-go', () => {
    const [verdict] = verdicts({
      type: 'object',
      properties: { a: INTEGER },
      'x-kubernetes-validations': [{ rule: 'self.a == "x"' }],
    });
    expect(verdict?.problem).toContain(
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)'",
    );
    expect(verdicts({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self + 1' }] })[0]?.problem).toBe(
      'cel expression must evaluate to a bool',
    );
    expect(
      verdicts({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', messageExpression: '1' }] })[0]
        ?.messageProblem,
    ).toBe('messageExpression must evaluate to a string');
  });

  it('estimates costs from the limits of the schema, like kube-apiserver', () => {
    const rule = 'self.all(x, x == "a")';
    const list = (more: JsonObject, items: JsonObject = {}) =>
      verdicts({ type: 'array', items: { ...STRING, ...items }, ...more, 'x-kubernetes-validations': [{ rule }] })[0];
    const bounded = list({ maxItems: 10 }, { maxLength: 10 });
    const unbounded = list({});
    expect(bounded?.maxCost).toBeLessThan(200);
    expect(unbounded?.maxCost).toBeGreaterThan(1_000_000);
    expect(bounded?.maxCardinality).toBe(1_048_576);
  });

  it('finds the rules that use oldSelf', () => {
    const rules = [{ rule: 'self == oldSelf' }, { rule: 'self > 1' }];
    expect(
      verdicts({ type: 'integer', 'x-kubernetes-validations': rules }).map(({ usesOldSelf }) => usesOldSelf),
    ).toEqual([true, false]);
  });

  it('reports constant expressions that fail', () => {
    const schema = withSpec({ a: INTEGER }, [
      "int('x') == self.a",
      { rule: 'self.a == 1', messageExpression: "string(int('y'))" },
    ]);
    const judged = checkRules(schema.properties.get('spec') as StructuralSchema, false);
    expect(judged).toMatchObject({
      ok: true,
      verdicts: [
        { problem: "program instantiation failed: type conversion error from 'string' to 'int'" },
        { messageProblem: "messageExpression instantiation failed: type conversion error from 'string' to 'int'" },
      ],
    });
    expect(judge(schema, { a: 1 }).issues).toEqual([
      "spec: Invalid value: \"object\": rule compile error: program instantiation failed: type conversion error from 'string' to 'int'",
    ]);
  });

  it('has no math and base64 functions', () => {
    const problem = verdicts({
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'base64.encode(b"a") == self' }],
    })[0]?.problem;
    expect(problem).toContain("undeclared reference to 'base64'");
  });

  it('fails for a node that rules cannot read', () => {
    const node = structural({ type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } });
    expect(checkRules(node, false)).toEqual({
      ok: false,
      message: 'unable to convert structural schema to CEL declarations',
    });
  });
});

describe('defaultRules', () => {
  it('report failures on unchanged values too', () => {
    const schema = structural({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5' }] });
    const rules = defaultRules(schema, false);
    const path = undefined as never;
    expect(rules?.evaluate(1, { path, old: 1, budget: 1e7 }).issues).toHaveLength(1);
    expect(rules?.evaluate(6, { path, old: undefined, budget: 1e7 })).toMatchObject({ issues: [] });
  });
});

describe('declaredType', () => {
  it('bounds sizes that the schema does not limit', () => {
    const at = (schema: JsonObject): number | undefined => declaredType(structural(schema), false)?.maxElements;
    expect(at(STRING)).toBe(3145726);
    expect(at({ ...STRING, maxLength: 5 })).toBe(20);
    expect(at({ ...STRING, enum: ['a', 'bcd'] })).toBe(3);
    expect(at({ type: 'array', items: INTEGER })).toBe(1572863);
    expect(at({ type: 'object', additionalProperties: INTEGER })).toBe(449389);
  });
});
