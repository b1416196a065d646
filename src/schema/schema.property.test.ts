import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject } from '../base/json-value.ts';
import type { CompiledSchema } from './compiled-schema.ts';
import { rulesOf } from './rules/rules-of.ts';
import { compiled, parsed, resource, schemaAndValue } from './schema.fixtures.ts';

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

/** Rules for values of any type; most are broken by most values. */
const RULES = ['false', 'true', 'self == self', 'self != self', 'type(self) == int'];

const withRules = fc
  .record({ pair: schemaAndValue(2), rules: fc.subarray(RULES, { minLength: 1 }) })
  .map(({ pair, rules }): { plan: CompiledSchema; object: JsonObject } => {
    const validations = rules.map((rule) => ({ rule, message: rule }));
    const source: JsonObject = {
      type: 'object',
      properties: { spec: { ...pair.schema, 'x-kubernetes-validations': validations } },
    };
    return { plan: compiled(source, { rules: rulesOf(parsed(source)) }), object: resource(pair.value) };
  });

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

  it('keep a valid object valid when valid defaults are filled in', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        const defaulted = cloneJson(object);
        plan.setDefaults(defaulted);
        // Defaults that are not valid for their schema are refused when a definition is written.
        const own = plan.validate(object);
        fc.pre(own.length === 0 && defaultsAreValid(plan));
        expect(plan.validate(defaulted)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('never refuse an unchanged object if the schema lists all of its fields', () => {
    fc.assert(
      fc.property(anything, ({ plan, object }) => {
        plan.prune(object);
        fc.pre(!keepsUnknown(plan.schema.source));
        expect(plan.validate(cloneJson(object), { old: object })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('never refuse an unchanged object because of its rules', () => {
    fc.assert(
      fc.property(withRules, ({ plan, object }) => {
        plan.prune(object);
        fc.pre(!keepsUnknown(plan.schema.source));
        const warnings: string[] = [];
        const warn = (text: string): void => void warnings.push(text);
        // Like kube-apiserver, an error of an evaluation is reported even if the value did not change.
        const issues = plan.validate(cloneJson(object), { old: object, warn });
        expect(issues.filter(({ detail }) => !/evaluating rule|no such overload/.test(detail))).toEqual([]);
        // The same object is refused when it is new, by its limits or by its rules.
        if (plan.validate(object).length === 0) expect(warnings).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('keep a valid object valid when it is pruned', () => {
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
