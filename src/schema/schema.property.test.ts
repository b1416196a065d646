import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject } from '../base/json-value.ts';
import type { CompiledSchema } from './compiled-schema.ts';
import { compiled, resource, schemaAndValue } from './schema.fixtures.ts';

const anything = schemaAndValue(2).map(({ schema, value }): { plan: CompiledSchema; object: JsonObject } => ({
  plan: compiled({
    type: 'object',
    properties: {
      metadata: { type: 'object' },
      kind: { type: 'string' },
      apiVersion: { type: 'string' },
      spec: schema,
    },
  }),
  object: resource(value),
}));

describe('schemas and objects', () => {
  it('prune and default to a fixed point', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        plan.prune(object);
        plan.setDefaults(object);
        const before = cloneJson(object);
        expect(plan.prune(object)).toEqual([]);
        plan.setDefaults(object);
        expect(object).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('default a valid object with valid defaults to a valid one', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        const defaulted = cloneJson(object);
        plan.setDefaults(defaulted);
        // Defaults that are no values of their schema are refused when a definition is written.
        const own = plan.validate(object);
        fc.pre(own.length === 0 && defaultsAreValid(plan));
        expect(plan.validate(defaulted)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('never refuse an object that did not change where the schema lists all its fields', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        plan.prune(object);
        fc.pre(!keepsUnknown(plan.schema.source));
        expect(plan.validate(cloneJson(object), { old: object })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('prune nothing that the schema specifies: what is valid stays valid', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        fc.pre(plan.validate(object).length === 0);
        plan.prune(object);
        expect(plan.validate(object)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

function keepsUnknown(source: unknown): boolean {
  return JSON.stringify(source).includes('x-kubernetes-preserve-unknown-fields');
}

function defaultsAreValid({ schema }: CompiledSchema): boolean {
  const visit = (node: typeof schema): boolean => {
    if (node.default !== undefined) {
      const plan = compiled({ type: 'object', properties: { spec: { ...node.source } as JsonObject } });
      if (plan.validate(resource(cloneJson(node.default))).length > 0) return false;
    }
    const below = [...node.properties.values(), node.items, node.additionalProperties];
    return below.every((part) => typeof part !== 'object' || visit(part));
  };
  return visit(schema);
}
