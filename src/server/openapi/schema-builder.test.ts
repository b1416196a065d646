import { describe, expect, it } from 'vitest';
import { list, map, scalar } from '../../apimachinery/protobuf/core-facts.fixtures.ts';
import { createStructView, type FieldView, type StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { META_TYPES } from '../resource/meta-types.ts';
import type { GivenSchema } from './given-schema.ts';
import { field, PREFIX, thing, thingSpec, types } from './openapi.fixtures.ts';
import { SchemaBuilder } from './schema-builder.ts';
import { SchemaCache, withKinds } from './schema-text.ts';

const REF = '#/components/schemas/';

function builder(names: ReadonlyMap<StructView, string>, given: Record<string, JsonObject> = {}): SchemaBuilder {
  const textOf = (name: string): GivenSchema | undefined => {
    const schema = given[name];
    return schema === undefined ? undefined : { v3: () => schema, refers: [] };
  };
  return new SchemaBuilder({ types, cache: nothingKept(), typeName: (view) => names.get(view), given: textOf });
}

function nothingKept(): SchemaCache {
  return new SchemaCache(() => false);
}

/** All that was written, as a document has it. */
function components(made: SchemaBuilder): Record<string, JsonObject> {
  const texts = made.written().map(({ name, schema, kinds }) => [name, JSON.parse(withKinds(schema.v3, kinds))]);
  return Object.fromEntries(texts);
}

/** The schema of one property of an unnamed struct. */
function property(one: FieldView): unknown {
  const schema = builder(new Map()).struct(createStructView('', () => [one]));
  return (schema.properties as JsonObject)[one.name];
}

describe('properties', () => {
  it.each<[string, FieldView, JsonObject]>([
    ['a text', field('f', scalar('string')), { type: 'string' }],
    [
      'a number with its default',
      field('f', scalar('int64'), { defaultValue: 0 }),
      { type: 'integer', format: 'int64', default: 0 },
    ],
    ['bytes', field('f', scalar('bytes')), { type: 'string', format: 'byte' }],
    [
      'another format',
      field('f', { kind: 'scalar', scalar: 'string', format: 'uri' }),
      { type: 'string', format: 'uri' },
    ],
    ['a nullable one', field('f', scalar('boolean'), { nullable: true }), { type: 'boolean', nullable: true }],
    ['anything', field('f', { kind: 'any', raw: 'json' }), {}],
    [
      'a list that says nothing about merging',
      field('f', list('string')),
      { type: 'array', items: { type: 'string', default: '' } },
    ],
    [
      'a set',
      field('f', { kind: 'list', items: scalar('string'), listType: 'set', mapKeys: [] }),
      { type: 'array', items: { type: 'string', default: '' }, 'x-kubernetes-list-type': 'set' },
    ],
    [
      'an atomic map of lists',
      field('f', { kind: 'map', atomic: true, values: list('int32') }),
      {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'integer', format: 'int32', default: 0 } },
        'x-kubernetes-map-type': 'atomic',
      },
    ],
    [
      'values of a type with a name',
      field('f', map('quantity')),
      {
        type: 'object',
        additionalProperties: { $ref: `${REF}io.k8s.apimachinery.pkg.api.resource.Quantity` },
      },
    ],
    ['a time', field('f', scalar('time')), { allOf: [{ $ref: `${REF}${META_TYPES}Time` }] }],
    ['raw fields', field('f', { kind: 'any', raw: 'fields-v1' }), { allOf: [{ $ref: `${REF}${META_TYPES}FieldsV1` }] }],
  ])('%s', (_, one, expected) => {
    expect(property(one)).toEqual(expected);
  });
});

describe('types', () => {
  const names = new Map([
    [thing, `${PREFIX}Thing`],
    [thingSpec, `${PREFIX}ThingSpec`],
  ]);

  it('are written once, reference each other and themselves, and have their merge extensions', () => {
    const made = builder(names);
    expect(made.struct(thing)).toEqual({ $ref: `${REF}${PREFIX}Thing` });
    const all = components(made);
    expect(Object.keys(all)).toEqual([
      `${PREFIX}Thing`,
      `${PREFIX}ThingSpec`,
      'io.k8s.apimachinery.pkg.api.resource.Quantity',
      `${META_TYPES}ObjectMeta`,
      `${META_TYPES}Time`,
    ]);
    expect(all[`${PREFIX}Thing`]).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { default: {}, allOf: [{ $ref: `${REF}${META_TYPES}ObjectMeta` }] },
        spec: { allOf: [{ $ref: `${REF}${PREFIX}ThingSpec` }] },
      },
    });
    expect(all[`${PREFIX}ThingSpec`]).toMatchObject({
      required: ['size'],
      properties: {
        mode: { type: 'string', default: 'Fast', enum: ['Fast', 'Slow'] },
        parts: {
          items: { default: {}, allOf: [{ $ref: `${REF}${PREFIX}ThingSpec` }] },
          'x-kubernetes-list-map-keys': ['mode'],
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-patch-merge-key': 'mode',
          'x-kubernetes-patch-strategy': 'merge,retainKeys',
        },
      },
    });
  });

  it('that are kinds name the kinds, and have the descriptions that all kinds share', () => {
    const made = builder(names);
    made.addKind(`${PREFIX}Thing`, { group: 'a', version: 'v1', kind: 'Thing' });
    made.addKind(`${PREFIX}Thing`, { group: 'a', version: 'v1', kind: 'Thing' });
    made.struct(thing);
    const schema = components(made)[`${PREFIX}Thing`];
    expect(schema?.['x-kubernetes-group-version-kind']).toEqual([{ group: 'a', kind: 'Thing', version: 'v1' }]);
    expect(schema).toHaveProperty('properties.spec.description', 'The wanted state of the object.');
  });

  it('without a name are inlined', () => {
    const inner = createStructView('', () => [field('x', scalar('string'))], { preserveUnknown: true });
    expect(property(field('f', inner, { defaultValue: {} }))).toEqual({
      type: 'object',
      properties: { x: { type: 'string' } },
      'x-kubernetes-preserve-unknown-fields': true,
      default: {},
    });
  });

  it('that the publisher provides are used unchanged', () => {
    const made = builder(names, { [`${PREFIX}Thing`]: { type: 'object', 'x-mine': true } });
    made.addKind(`${PREFIX}Thing`, { group: 'a', version: 'v1', kind: 'Thing' });
    made.struct(thing);
    expect(components(made)).toEqual({
      [`${PREFIX}Thing`]: {
        type: 'object',
        'x-mine': true,
        'x-kubernetes-group-version-kind': [{ group: 'a', kind: 'Thing', version: 'v1' }],
      },
    });
  });

  it('that are atomic in one field only are marked there, not in the component', () => {
    const meta = types.view(`${META_TYPES}ObjectMeta`);
    const here: StructView = { ...meta, atomic: true };
    const made = new SchemaBuilder({
      types: {
        view: types.view,
        typeName: (view) => (view === here ? `${META_TYPES}ObjectMeta` : types.typeName(view)),
      },
      typeName: () => undefined,
      cache: nothingKept(),
      given: () => undefined,
    });
    const schema = made.struct(createStructView('', () => [field('f', here)]));
    expect(schema.properties).toEqual({
      f: { allOf: [{ $ref: `${REF}${META_TYPES}ObjectMeta` }], 'x-kubernetes-map-type': 'atomic' },
    });
    expect(components(made)).not.toHaveProperty([`${META_TYPES}ObjectMeta`, 'x-kubernetes-map-type']);
  });

  it('that are atomic themselves are marked in the component, with their other extensions', () => {
    const reference = createStructView('', () => [], { atomic: true, extensions: { 'x-kubernetes-unions': [] } });
    const made = builder(new Map([[reference, 'Reference']]));
    made.struct(reference);
    expect(components(made)).toEqual({
      Reference: { type: 'object', 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-unions': [] },
    });
  });
});
