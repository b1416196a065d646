import { describe, expect, it } from 'vitest';
import { type ZodType, z } from 'zod';
import type { JsonObject } from '../../../base/json-value.ts';
import { checkedSchema } from '../schema/check-schema.ts';
import { libraryJsonSchema } from './library-json-schema.ts';
import { atomic, intOrString, listMap, listSet, preserveUnknown, rule, rules } from './schema-helpers.ts';
import { wholeSchema } from './whole-schema.ts';

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const INT64 = { type: 'integer', format: 'int64', ...SAFE };
const TEXT = { type: 'string' };

const convert = (schema: ZodType): JsonObject =>
  libraryJsonSchema(z.object({ x: schema }), 'spec', 'Thing')['properties'] as JsonObject;

describe('schemas of Zod', () => {
  const Recursive: ZodType = z.lazy(() => z.object({ next: Recursive }));
  const Shared = z.object({ a: z.string() }).meta({ id: 'Shared', title: 'Shared', examples: [{ a: 'b' }] });

  it.each<[string, ZodType, JsonObject]>([
    ['integers', z.int(), INT64],
    ['32-bit integers', z.int32(), { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 }],
    ['limits', z.int().min(1).max(9), { type: 'integer', format: 'int32', minimum: 1, maximum: 9 }],
    ['positive integers', z.int().positive(), { ...INT64, minimum: 0, exclusiveMinimum: true }],
    ['numbers', z.number().min(0.5), { type: 'number', minimum: 0.5 }],
    ['patterns', z.string().min(1).max(5).regex(/^a/), { ...TEXT, minLength: 1, maxLength: 5, pattern: '^a' }],
    ['descriptions', z.string().describe('A text.'), { ...TEXT, description: 'A text.' }],
    ['enumerations', z.enum(['a', 'b']), { ...TEXT, enum: ['a', 'b'] }],
    ['literals', z.literal('a'), { ...TEXT, enum: ['a'] }],
    ['unions of literals', z.union([z.literal('a'), z.literal('b')]), { ...TEXT, enum: ['a', 'b'] }],
    ['nullable values', z.string().nullable(), { ...TEXT, nullable: true }],
    ['unions with null', z.union([z.string(), z.null()]), { ...TEXT, nullable: true }],
    ['optional values', z.boolean().optional(), { type: 'boolean' }],
    ['defaults', z.string().default('red'), { ...TEXT, default: 'red' }],
    ['records', z.record(z.string(), z.int()), { type: 'object', additionalProperties: INT64 }],
    ['any values', z.any(), preserveUnknown()],
    [
      'records of any values',
      z.record(z.string(), z.unknown()),
      { type: 'object', additionalProperties: preserveUnknown() },
    ],
    [
      'open objects',
      z.looseObject({ a: z.string() }),
      { type: 'object', properties: { a: TEXT }, required: ['a'], ...preserveUnknown() },
    ],
    [
      'closed objects, because unknown fields are pruned',
      z.strictObject({ a: z.string() }),
      { type: 'object', properties: { a: TEXT }, required: ['a'] },
    ],
    ['an integer or a string', z.union([z.int(), z.string()]), intOrString()],
    ['an integer or a string by helper', z.union([z.string(), z.int()]).meta(intOrString()), intOrString()],
    [
      'alternatives of one type',
      z.union([z.string().max(2), z.string().min(9)]),
      { ...TEXT, anyOf: [{ maxLength: 2 }, { minLength: 9 }] },
    ],
    ['shared schemas', Shared, { type: 'object', properties: { a: TEXT }, required: ['a'], title: 'Shared' }],
    [
      'keyed lists',
      z.array(Shared).meta(listMap('a')),
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT }, required: ['a'], title: 'Shared' },
        ...listMap('a'),
      },
    ],
    ['sets', z.array(z.string()).meta(listSet()), { type: 'array', items: TEXT, ...listSet() }],
    ['rules', z.string().meta(rule('self != ""', 'is empty')), { ...TEXT, ...rule('self != ""', 'is empty') }],
    [
      'several rules',
      z.string().meta(rules(rule('self != "a"'), rule('self != "b"'))),
      { ...TEXT, 'x-kubernetes-validations': [{ rule: 'self != "a"' }, { rule: 'self != "b"' }] },
    ],
  ])('%s are structural', (_, schema, expected) => {
    expect(convert(schema)['x']).toEqual(expected);
    const whole = wholeSchema('Thing', { spec: z.object({ x: schema }) });
    expect(() => checkedSchema('Thing', whole)).not.toThrow();
  });

  it.each<[string, ZodType, RegExp]>([
    [
      'unions of objects',
      z.union([z.object({ a: z.string() }), z.object({ b: z.int() })]),
      /^spec\.x of Thing: a union .*rule\(\)/,
    ],
    [
      'unions of types',
      z.union([z.boolean(), z.string()]),
      /^spec\.x of Thing: a union of different types.*intOrString\(\)/,
    ],
    ['recursion', Recursive, /^spec\.x.* of Thing: a schema cannot contain itself.*preserveUnknown\(\)/],
    [
      'catch-all values',
      z.object({ a: z.string() }).catchall(z.int()),
      /^spec\.x of Thing: an object has either named fields/,
    ],
    [
      'transformations',
      z.string().transform(Number).pipe(z.number()),
      /^spec\.x of Thing: the schema transforms its value.*mutate/,
    ],
    ['values beyond JSON', z.date(), /^spec of Thing: zod cannot express the schema as JSON Schema: .*Date/],
    ['big integers', z.bigint(), /^spec of Thing: zod cannot express/],
  ])('%s are refused with what to write instead', (_, schema, message) => {
    expect(() => convert(schema)).toThrow(message);
  });

  it('that contain an impossible pattern are refused', () => {
    const whole = wholeSchema('Thing', { spec: z.object({ x: z.string().regex(/(?=a)b/) }) });
    expect(() => checkedSchema('Thing', whole)).toThrow(/schema\.properties\[spec\]\.properties\[x\]\.pattern/);
  });
});

describe('the whole schema', () => {
  it('requires a spec with required fields or rules, and defaults another one', () => {
    expect(wholeSchema('Thing', { spec: z.object({ a: z.string() }) })['required']).toEqual(['spec']);
    expect(wholeSchema('Thing', { spec: { type: 'object', ...rule('has(self.a)') } })['required']).toEqual(['spec']);
    const optional = wholeSchema('Thing', {
      spec: z.object({ a: z.string().default('b') }),
      status: { type: 'object' },
    });
    expect(optional).toMatchObject({ properties: { spec: { default: {} }, status: { type: 'object' } } });
    expect(optional['required']).toBeUndefined();
  });

  it('keeps of atomic() what fits the type', () => {
    const spec = { type: 'object', ...atomic(), properties: { list: { type: 'array', items: TEXT, ...atomic() } } };
    const { properties } = wholeSchema('Thing', { spec }) as { properties: { spec: JsonObject } };
    expect(properties.spec['x-kubernetes-list-type']).toBeUndefined();
    expect(properties.spec['properties']).toEqual({
      list: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'atomic' },
    });
  });

  it('is given once', () => {
    expect(() => wholeSchema('Thing', {})).toThrow('Thing needs a schema, or a spec');
    expect(() => wholeSchema('Thing', { schema: { type: 'object' }, spec: { type: 'object' } })).toThrow(/must not/);
  });
});
