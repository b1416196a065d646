import { describe, expect, it } from 'vitest';
import { invalid } from '../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { RuleEvaluator, RuleRequest } from './rule-evaluator.ts';
import { compiled, lines, resource } from './schema.fixtures.ts';
import cases from './testdata/schema-cases.json' with { type: 'json' };

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly part?: 'status';
  readonly out?: JsonObject;
  readonly list?: readonly string[];
  readonly error?: string;
}

const VALIDATE = cases.validate as unknown as readonly Case[];
const DEFAULT = cases.default as unknown as readonly Case[];
const PRUNE = cases.prune as unknown as readonly Case[];

describe('validate reports the issues of kube-apiserver', () => {
  it.each(VALIDATE.map((each) => [each.name, each] as const))('of %s', (_, { schema, object, old, part, list }) => {
    const options = { ...(old === undefined ? {} : { old }), ...(part === undefined ? {} : { part }) };
    expect(lines(compiled(schema).validate(object, options))).toEqual(list);
  });
});

describe('setDefaults fills in the same defaults as kube-apiserver', () => {
  it.each(DEFAULT.map((each) => [each.name, each] as const))('for %s', (_, { schema, object, out }) => {
    const own = structuredClone(object);
    compiled(schema).setDefaults(own);
    expect(own).toEqual(out);
  });

  it('gives every object a copy of its own', () => {
    const schema = compiled({
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'array', default: ['x'], items: { type: 'string' } } } },
      },
    });
    const [first, second] = [resource({}), resource({})];
    schema.setDefaults(first);
    ((first['spec'] as JsonObject)['a'] as string[]).push('y');
    schema.setDefaults(second);
    expect(second['spec']).toEqual({ a: ['x'] });
  });
});

describe('prune and coerceEmbedded remove the same fields as kube-apiserver', () => {
  it.each(PRUNE.map((each) => [each.name, each] as const))('of %s', (_, { schema, object, out, list, error }) => {
    const own = structuredClone(object);
    const plan = compiled(schema);
    const dropped = [...plan.prune(own)];
    const coerced = plan.coerceEmbedded(own);
    if (!coerced.ok) {
      expect(coerced.message).toBe(error);
      return;
    }
    expect([...dropped, ...coerced.unknown]).toEqual(list);
    expect(own).toEqual(out);
  });

  it('removes nothing if the definition preserves unknown fields', () => {
    const object = resource({ a: 1 });
    const schema = compiled(
      { type: 'object', properties: { spec: { type: 'object' } } },
      { preserveUnknownFields: true },
    );
    expect(schema.prune(object)).toEqual([]);
    expect(object['spec']).toEqual({ a: 1 });
  });

  it('removes malformed metadata of stored objects instead of failing', () => {
    const schema = compiled({
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { kind: { type: 'string' } } },
      },
    });
    const object = resource({ kind: 5, metadata: { name: 'x', labels: { a: 1 } } });
    expect(schema.coerceEmbedded(object, { dropMalformed: true })).toEqual({ ok: true, unknown: [] });
    expect(object['spec']).toEqual({ metadata: { name: 'x' } });
  });
});

describe('rules', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { spec: { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^x' } } } },
  };
  const asked: RuleRequest[] = [];
  const rules: RuleEvaluator = {
    hasRules: true,
    evaluate: (_, run) => {
      asked.push(run);
      return [invalid(undefined, null, 'a rule')];
    },
  };
  const plan = compiled(schema, { rules });

  it('run after all other checks, also on objects with other issues', () => {
    expect(lines(plan.validate(resource({ a: 'y' })))).toEqual([
      'FieldValueInvalid|<nil>|Invalid value: null: a rule',
      'FieldValueInvalid|spec.a|Invalid value: "y": spec.a in body should match \'^x\'',
    ]);
  });

  it('do not run if a field is missing or of a wrong type, which is reported', () => {
    const [told] = plan.validate(resource({})).slice(-1);
    expect(told?.detail).toMatch(/^some validation rules were not checked/);
  });

  it('receive the old object and the budget', () => {
    asked.length = 0;
    const old = resource({ a: 'x' });
    plan.validate(resource({ a: 'x' }), { old, celBudget: 5 });
    plan.validate(resource({ a: 'x' }));
    expect(asked).toMatchObject([
      { old, budget: 5 },
      { old: undefined, budget: 10_000_000 },
    ]);
  });

  it('are not mentioned if the schema has none', () => {
    expect(compiled(schema, { rules: { ...rules, hasRules: false } }).validate(resource({}))).toHaveLength(1);
  });
});
