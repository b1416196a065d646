import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { lines, objectMeta, parsed } from '../schema.fixtures.ts';
import cases from '../testdata/schema-cases.json' with { type: 'json' };
import { hasUnprunedDefaults, validateDefaults } from '../validate-defaults.ts';
import { parseStructural } from './parse-structural.ts';
import { deriveSchema } from './structural-node.ts';
import { validateStructural } from './validate-structural.ts';

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly list?: readonly string[];
  readonly error?: string;
}

const STRUCTURAL = cases.structural as unknown as readonly Case[];
const DEFAULTS = cases.defaultValues as unknown as readonly Case[];
const path = FieldPath.of('schema');

describe('parseStructural', () => {
  it('refuses keywords that a structural schema cannot express, at every level', () => {
    const message = (schema: JsonObject): string | undefined => {
      const parsed = parseStructural({ type: 'object', properties: { spec: { type: 'array', items: schema } } });
      return parsed.ok ? undefined : parsed.message;
    };
    expect(message({ additionalItems: true })).toBe("OpenAPIV3Schema 'additionalItems' is not supported");
    expect(message({ not: { $ref: 'x' } })).toBe("OpenAPIV3Schema '$ref' is not supported");
    expect(message({ 'x-kubernetes-preserve-unknown-fields': false })).toContain('must be true or undefined');
    expect(message({ items: [{ type: 'string' }] })).toContain('must be a schema, but is an array');
    expect(message({ 'x-kubernetes-preserve-unknown-fields': true, id: '', items: [] })).toBeUndefined();
  });
});

describe('validateStructural reports the issues of kube-apiserver', () => {
  it.each(STRUCTURAL.map((each) => [each.name, each] as const))('of %s', (_, { schema, list, error }) => {
    const result = parseStructural(schema, path);
    if (!result.ok) {
      expect(result.message).toBe(error);
      expect(result.issue).toMatchObject({ path, detail: error });
      return;
    }
    expect(lines(validateStructural(result.schema, path))).toEqual(list);
  });

  it('sorts issues by their texts', () => {
    const found = validateStructural(parsed({ properties: { b: {}, a: {} } }), path).map((issue) => String(issue.path));
    expect(found).toEqual(['schema.properties[a].type', 'schema.properties[b].type', 'schema.type']);
  });
});

describe('validateDefaults reports the issues of kube-apiserver', () => {
  it.each(DEFAULTS.map((each) => [each.name, each] as const))('of %s', (_, { schema, list }) => {
    expect(lines(validateDefaults(parsed(schema), { path, objectMeta, requirePruned: true }))).toEqual(list);
  });

  const withRule = parsed({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { a: { type: 'string', default: 'x' }, b: { type: 'string', default: 'y' } },
      },
    },
  });

  it('runs rules on a default as for an update and as for a create, and stops when the budget is spent', () => {
    const runs: unknown[] = [];
    validateDefaults(withRule, {
      path,
      objectMeta,
      requirePruned: true,
      rules: () => ({
        evaluate: (value, { old }) => {
          runs.push([value, old]);
          return { issues: [], remaining: -1 };
        },
      }),
    });
    expect(runs).toEqual([
      ['x', 'x'],
      ['x', undefined],
    ]);
  });

  it('finds defaults that pruning would change', () => {
    const schema = (value: JsonObject): JsonObject => ({
      type: 'object',
      properties: { spec: { type: 'object', default: value, properties: { a: { type: 'string' } } } },
    });
    expect(hasUnprunedDefaults(parsed(schema({ a: 'x' })), objectMeta)).toBe(false);
    expect(hasUnprunedDefaults(parsed(schema({ b: 'x' })), objectMeta)).toBe(true);
  });
});

describe('nodes', () => {
  it('return the same part at every read and list properties in the order of names', () => {
    const schema = parsed({
      type: 'object',
      properties: { b: { type: 'array', items: { type: 'string' } }, a: { type: 'string' } },
    });
    expect([...schema.properties.keys()]).toEqual(['a', 'b']);
    expect(schema.properties.get('b')?.items).toBe(schema.properties.get('b')?.items);
    expect(schema.properties).toBe(schema.properties);
  });

  it('can be copied with some parts replaced', () => {
    const schema = parsed({ type: 'object', additionalProperties: { type: 'string' }, description: 'd' });
    const derived = deriveSchema(schema, { additionalProperties: undefined });
    expect(derived.additionalProperties).toBeUndefined();
    expect(derived.description).toBe('d');
    expect(deriveSchema({ ...derived, description: 'plain' }, {}).description).toBe('plain');
  });
});
