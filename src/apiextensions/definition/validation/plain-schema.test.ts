import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { NO_PLAIN_NODES, plainSchema } from '../../../schema/structural/plain-nodes.ts';
import { createSchemaChecks } from './create-schema-checks.ts';
import { unknownFormats } from './unknown-formats.ts';
import { validateSchemaNodes } from './validate-schema-node.ts';
import { optionsForCreate } from './validation-options.ts';

const checks = createSchemaChecks();
const PATH = FieldPath.of('schema');

/** The issues of all checks, each run on every node. */
function issuesOf(schema: JsonObject): unknown[] {
  const parsed = checks.parse(schema);
  if (!parsed.ok) return [parsed.message];
  const options = optionsForCreate(false, { checks, caBundle: () => undefined });
  const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];
  return [
    ...checks.validateStructural(parsed.schema, PATH),
    ...checks.validateDefaults(parsed.schema, PATH, true),
    ...validateSchemaNodes(schema, PATH, undefined, { ...options, anyCost: false, plain: NO_PLAIN_NODES }),
    // A shape that v1beta1 has in the spec is checked as it is.
    ...unknownFormats({ spec: { versions } }, true),
  ];
}

const scalar = fc.constantFrom<JsonValue>(null, true, 0, 5, -3, 1.5, 2 ** 31, '', 'a', 'x');
const field = fc.oneof(
  fc.tuple(fc.constantFrom('minimum', 'maximum', 'maxLength', 'default', 'nullable', 'title'), scalar),
  fc.tuple(fc.constant('default'), scalar),
  fc.tuple(fc.constant('format'), fc.constantFrom<JsonValue>('int32', 'int64', 'double', 'date', 'weird')),
  fc.tuple(fc.constant('pattern'), fc.constantFrom<JsonValue>('^a$', '(?=a)')),
  fc.tuple(fc.constant('enum'), fc.array(scalar, { maxLength: 3 })),
  fc.tuple(
    fc.constantFrom('$ref', 'id', 'additionalItems', 'uniqueItems', 'x-kubernetes-embedded-resource', 'not', 'allOf'),
    fc.constantFrom<JsonValue>(true, 'x', {}, [{}]),
  ),
);
const { schema: schemas } = fc.letrec<{ schema: JsonObject; type: JsonObject }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'integer' }, { type: 'number' }, { type: 'boolean' }, {}),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'metadata', 'kind'), tie('schema'), { maxKeys: 3 })
      .map((properties): JsonObject => ({ type: 'object', properties })),
  ),
  schema: fc
    .tuple(tie('type'), fc.array(field, { maxLength: 2 }))
    .map(([type, fields]) => ({ ...type, ...Object.fromEntries(fields) })),
}));

describe('plain schemas', () => {
  it('are those that no check reports', () => {
    let whole = 0;
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('spec', 'status', 'metadata'), schemas, { maxKeys: 2 }),
        (properties) => {
          const root: JsonObject = { type: 'object', properties };
          if (!plainSchema(root, true).isWhole) return;
          whole++;
          expect(issuesOf(root)).toEqual([]);
        },
      ),
      { numRuns: 3000 },
    );
    expect(whole).toBeGreaterThan(100);
  });

  it('have plain nodes that the checks can skip', () => {
    fc.assert(
      fc.property(schemas, (root) => {
        const { nodes } = plainSchema(root, true);
        const parsed = checks.parse(root);
        if (!parsed.ok) return;
        expect(checks.validateStructural(parsed.schema, PATH, nodes)).toEqual(
          checks.validateStructural(parsed.schema, PATH),
        );
        expect(checks.validateDefaults(parsed.schema, PATH, true, nodes)).toEqual(
          checks.validateDefaults(parsed.schema, PATH, true),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('are found where defaults are allowed and valid', () => {
    const withDefault = (node: JsonObject): JsonObject => ({ type: 'object', properties: { spec: node } });
    const whole = (node: JsonObject, allowed = true): boolean => plainSchema(withDefault(node), allowed).isWhole;
    expect(whole({ type: 'integer', format: 'int32', minimum: 0, default: 1 })).toBe(true);
    expect(whole({ type: 'string', enum: ['a', 'b'], default: 'a' })).toBe(true);
    expect(whole({ type: 'boolean', default: false })).toBe(true);
    expect(whole({ type: 'integer', default: 1 }, false)).toBe(false);
    expect(whole({ type: 'integer', minimum: 2, default: 1 })).toBe(false);
    expect(whole({ type: 'string', enum: ['a', 'b'], default: 'c' })).toBe(false);
    expect(whole({ type: 'object', default: {} })).toBe(false);
  });
});
