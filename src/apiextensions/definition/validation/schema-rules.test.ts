import { describe, expect, test } from 'vitest';
import { CRD_V1 } from '../crd-definition.ts';
import { crd, crdVersion, decoded, texts } from '../definition.fixtures.ts';
import { createSchemaChecks } from './create-schema-checks.ts';
import { unknownFormats } from './unknown-formats.ts';
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.ts';

const tools = { checks: createSchemaChecks(), caBundle: () => undefined };
const REQUEST = { isV1beta1: false, tools };
const AT = 'spec.validation.openAPIV3Schema.properties[a]';

function withField(field: object) {
  const schema = { openAPIV3Schema: { type: 'object', properties: { a: field } } };
  return decoded(
    CRD_V1,
    crd({ metadata: { resourceVersion: '1' }, spec: { versions: [crdVersion('v1', { schema })] } }),
  );
}

function issues(field: object): string[] {
  return texts(validateDefinition(withField(field), REQUEST)).map((text) => text.replaceAll(AT, 'a'));
}

const ruled = (field: object, ...rules: string[]) => ({
  ...field,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const TOO_MUCH =
  'exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

describe('rules of a definition', () => {
  test('are compiled, and issues show the whole rule', () => {
    expect(issues(ruled({ type: 'string' }, 'self == "x"'))).toEqual([]);
    expect(issues(ruled({ type: 'string' }, 'self'))).toEqual([
      'a.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ]);
  });

  test('have a cost limit each and in total, except in unchanged schemas', () => {
    const field = ruled(list({ type: 'string' }), 'self.all(x, self.all(y, x == y))');
    expect(issues(field)).toEqual([
      `a.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost ${TOO_MUCH}`,
      'a.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${TOO_MUCH}`,
    ]);
    const object = withField(field);
    const unchanged = texts(validateDefinitionUpdate(object, object, REQUEST));
    expect(unchanged.filter((text) => text.includes('Forbidden: estimated rule cost'))).toEqual([]);
    expect(unchanged).toHaveLength(2);
  });

  test('cost as many times as their node can occur', () => {
    const item = ruled({ type: 'string', maxLength: 100 }, 'self.contains("abcdefghij")');
    expect(issues(list(list(item, { maxItems: 10 }), { maxItems: 10 }))).toEqual([]);
    expect(issues(list(list(list(item)))).some((text) => text.includes('estimated rule cost exceeds'))).toBe(true);
  });

  test('use oldSelf only where old and new values can be correlated', () => {
    const item = ruled(
      { type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 5 } } },
      'self.k == oldSelf.k',
    );
    expect(issues(list(item, { maxItems: 5 }))).toEqual([
      'a.items.x-kubernetes-validations[0].rule: Invalid value: "self.k == oldSelf.k": oldSelf cannot be used on the uncorrelatable portion of the schema within a',
    ]);
    const keyed = { maxItems: 5, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    expect(issues(list(item, keyed))).toEqual([]);
  });

  test('are not compiled if the schema below them has an issue', () => {
    const field = { type: 'object', properties: { b: { type: 'string', id: 'x' } } };
    expect(issues(ruled(field, 'self.'))).toEqual(['a.properties[b].id: Forbidden: id is not supported']);
  });
});

describe('unknown formats', () => {
  test.each([
    ['string', 'date-time', []],
    ['string', 'k8s-short-name', []],
    ['string', 'nope', ['nope']],
    ['integer', 'int32', []],
    ['integer', 'int16', ['int16']],
    ['number', 'double', []],
    ['number', 'int32', ['int32']],
    ['boolean', 'byte', ['byte']],
  ])('of type %s and format %s: %j', (type, format, expected) => {
    expect(unknownFormats(withField({ type, format }), false)).toEqual(expected);
  });
});
