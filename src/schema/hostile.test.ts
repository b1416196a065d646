import { describe, expect, test } from 'vitest';
import type { FieldIssue } from '../apimachinery/validation/field-issue.ts';
import { readJson } from '../base/json-read.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { compileSchema } from './compile-schema.ts';
import type { CompiledSchema } from './compiled-schema.ts';
import { rulesOf } from './rules/rules-of.ts';
import { objectMeta } from './schema.fixtures.ts';
import { structuralOf } from './structural/structural-node.ts';
import { validateStructural } from './structural/validate-structural.ts';
import { MAX_FINDINGS } from './validation/validation-result.ts';

function compiled(spec: JsonValue): CompiledSchema {
  const schema = structuralOf({ type: 'object', properties: { spec } });
  return compileSchema(schema, { objectMeta, rules: rulesOf(schema) });
}

function objectOf(spec: JsonValue): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec };
}

function issuesOf(schema: JsonValue, spec: JsonValue, old?: JsonValue): readonly FieldIssue[] {
  return compiled(schema).validate(objectOf(spec), old === undefined ? {} : { old: objectOf(old) });
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function parsed(text: string): JsonValue {
  const read = readJson(text);
  if (!read.ok) throw new Error(text);
  return read.value;
}

const TOO_MUCH = 'the schema asks for too many comparisons with an object of this size';

describe('property names that JavaScript objects inherit', () => {
  test('keys of map lists may be called __proto__', () => {
    const schema = parsed(
      '{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["__proto__"],"items":{"type":"object","properties":{"__proto__":{"type":"string"}}}}',
    );
    expect(issuesOf(schema, parsed('[{"__proto__":"a"},{"__proto__":"b"}]'))).toEqual([]);
    expect(issuesOf(schema, parsed('[{"__proto__":"a"},{"__proto__":"a"}]'))).toHaveLength(1);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is a field as any other',
    (name) => {
      const schema = compiled(
        parsed(
          `{"type":"object","required":["${name}"],"properties":{"${name}":{"type":"object","default":{},"properties":{"a":{"type":"integer","default":1}}}}}`,
        ),
      );
      const object = objectOf({});
      expect(schema.validate(object)).toHaveLength(1);
      schema.setDefaults(object);
      expect(JSON.stringify(object['spec'])).toBe(`{"${name}":{"a":1}}`);
      expect(schema.prune(object)).toEqual([]);
      expect(schema.validate(object)).toEqual([]);
      expect(compiled({ type: 'object', properties: {} }).prune(object)).toEqual([`spec.${name}`]);
      expect(({} as { a?: number }).a).toBeUndefined();
    },
  );
});

describe('expensive validations', () => {
  test('stop at a thousand issues', () => {
    expect(issuesOf({ type: 'array', items: { type: 'string' } }, numbers(100_000))).toHaveLength(MAX_FINDINGS);
    expect(
      issuesOf(
        { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
        numbers(100_000).map((i) => i >> 1),
      ),
    ).toHaveLength(MAX_FINDINGS);
    const rule = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 0' }] };
    expect(issuesOf({ type: 'array', items: rule }, numbers(100_000))).toHaveLength(MAX_FINDINGS);
  });

  test('stop earlier if the messages are long', () => {
    const schema = { type: 'array', items: { type: 'string', enum: numbers(10_000).map((i) => `choice-${i}`) } };
    expect(issuesOf(schema, numbers(10_000).map(String)).length).toBeLessThan(20);
  });

  test('report changed values even after many failures on unchanged values', () => {
    const schema = {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            properties: { k: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.k < 0', message: 'x'.repeat(1000) }],
          },
        },
        b: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 5' }] },
      },
    };
    const a = numbers(2000).map((k) => ({ k }));
    const issues = issuesOf(schema, { a, b: 7 }, { a, b: 6 });
    expect(issues.map(({ detail }) => detail)).toEqual(['failed rule: self < 5']);
  });

  test('refuse a long list with many alternatives', () => {
    const anyOf = numbers(2000).map((i) => ({ minimum: 1_000_000 + i }));
    const issues = issuesOf({ type: 'array', items: { type: 'integer', anyOf } }, numbers(20_000));
    expect(issues.map(({ detail }) => detail)).toEqual([TOO_MUCH]);
  });

  test('look up texts in long enumerations', () => {
    const listed = numbers(50_000).map((i) => `e${i}`);
    expect(issuesOf({ type: 'array', items: { type: 'string', enum: listed } }, listed)).toEqual([]);
  });

  test('refuse a long text for a large pattern', () => {
    const schema = { type: 'string', pattern: '(a|aa){500}c' };
    expect(issuesOf(schema, 'a'.repeat(2_000_000)).map(({ detail }) => detail)).toEqual([TOO_MUCH]);
  });

  test('refuse patterns that are too large together when the schema is written', () => {
    const property = (i: number): JsonValue => ({ type: 'string', pattern: `[\\\\pL${i}]{1000}` });
    const properties = Object.fromEntries(numbers(1200).map((i) => [`p${i}`, property(i)]));
    const issues = validateStructural(structuralOf({ type: 'object', properties }));
    expect(issues[0]?.detail).toContain('the patterns of the schema are too large together');
    expect(validateStructural(structuralOf({ type: 'object', properties: { a: property(1) } }))).toEqual([]);
  });

  test('take time in proportion to the number of required fields', () => {
    const names = numbers(50_000).map((i) => `p${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const object = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(issuesOf({ type: 'object', required: names, properties }, object)).toEqual([]);
  });

  test('refuse defaults that make an object too large', () => {
    const big = { type: 'string', default: 'x'.repeat(100_000) };
    const schema = compiled({ type: 'array', items: { type: 'object', properties: { big } } });
    expect(() => schema.setDefaults(objectOf(numbers(10_000).map(() => ({}))))).toThrow('defaults would make');
    const object = objectOf(numbers(10).map(() => ({})));
    schema.setDefaults(object);
    expect(schema.validate(object)).toEqual([]);
  });
});
