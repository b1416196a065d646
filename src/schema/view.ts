/**
 * The type view of a structural schema, for merge keys, apply and OpenAPI. A view cannot express all of pruning:
 * `additionalProperties: true` empties objects, and the items of a list that preserves unknown fields preserve theirs
 * too. Therefore objects are pruned with the schema and not with the view.
 */
import {
  createStructView,
  type FieldView,
  type ListView,
  type StructView,
  type TypeView,
  type WireFacts,
} from '../apimachinery/type-view.ts';
import { FIELD_NUMBER } from './structural/schema-source.ts';
import type { StructuralSchema } from './structural/structural.ts';

export interface ViewOptions {
  readonly objectMeta: TypeView;
  /** If true, no field is unknown at any level. Default false. */
  readonly preserveUnknownFields?: boolean;
  /** See CompileOptions. Default false. */
  readonly patchesByListType?: boolean;
  /** See CompileOptions. Default false. */
  readonly fieldNumbers?: boolean;
}

const ANY: TypeView = { kind: 'any', raw: 'json' };
const ANY_OBJECT: TypeView = { kind: 'any', raw: 'json', objectsOnly: true };
const STRING: TypeView = { kind: 'scalar', scalar: 'string' };

/** The view of a whole resource. */
export function viewOf(schema: StructuralSchema, options: ViewOptions): StructView {
  return structOf(schema, options, true);
}

function structOf(schema: StructuralSchema, options: ViewOptions, isResource: boolean): StructView {
  return createStructView('', () => fieldsOf(schema, options, isResource), {
    atomic: schema.mapType === 'atomic',
    preserveUnknown: options.preserveUnknownFields === true || schema.preserveUnknownFields,
  });
}

function* fieldsOf(schema: StructuralSchema, options: ViewOptions, isResource: boolean): Iterable<FieldView> {
  const required = new Set(schema.required);
  if (isResource) {
    yield field('apiVersion', STRING, required);
    yield field('kind', STRING, required);
    const metadata = field('metadata', options.objectMeta, required);
    yield options.fieldNumbers === true ? { ...metadata, wire: METADATA_WIRE } : metadata;
  }
  for (const [name, property] of schema.properties) {
    if (isResource && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) continue;
    yield {
      ...field(name, typeOf(property, options), required),
      ...(options.patchesByListType === true ? patchFacts(property) : undefined),
      ...(options.fieldNumbers === true ? { wire: wireFacts(property) } : undefined),
      nullable: property.nullable,
      defaultValue: property.default,
    };
  }
}

/** Every message of a resource has its metadata as field 1. */
const METADATA_WIRE: WireFacts = { number: 1, pointer: false, omitEmpty: true };

/** A value that is present is always on the wire. Protobuf does not tell an empty list or map from an absent one. */
function wireFacts({ source, type, properties }: StructuralSchema): WireFacts | undefined {
  const number = source[FIELD_NUMBER];
  if (typeof number !== 'number') return undefined;
  const isCollection = type === 'array' || (type === 'object' && properties.size === 0);
  return { number, pointer: !isCollection, omitEmpty: true };
}

/** Strategic merge knows one merge key: a list with several keys is replaced, as an atomic one is. */
function patchFacts({ listType, listMapKeys }: StructuralSchema): Partial<FieldView> {
  if (listType === 'set') return { patchStrategies: ['merge'] };
  const [key, ...others] = listMapKeys;
  if (listType !== 'map' || key === undefined || others.length > 0) return {};
  return { patchStrategies: ['merge'], patchMergeKey: key };
}

function field(name: string, type: TypeView, required: ReadonlySet<string>): FieldView {
  return {
    name,
    type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: required.has(name),
    nullable: false,
    defaultValue: undefined,
    wire: undefined,
  };
}

function typeOf(schema: StructuralSchema, options: ViewOptions): TypeView {
  if (schema.intOrString) return { kind: 'scalar', scalar: 'int-or-string' };
  switch (schema.type) {
    case 'array':
      return listOf(schema, options);
    case 'string':
      return schema.format === '' ? STRING : { kind: 'scalar', scalar: 'string', format: schema.format };
    case 'integer':
      return { kind: 'scalar', scalar: schema.format === 'int32' ? 'int32' : 'int64' };
    case 'number':
      return { kind: 'scalar', scalar: schema.format === 'float' ? 'float' : 'double' };
    case 'boolean':
      return { kind: 'scalar', scalar: 'boolean' };
    default:
      return objectOf(schema, options);
  }
}

function listOf(schema: StructuralSchema, options: ViewOptions): ListView {
  const { items, listType } = schema;
  return {
    kind: 'list',
    items: items === undefined ? ANY : typeOf(items, options),
    listType: listType === '' ? 'atomic' : listType,
    mapKeys: schema.listMapKeys,
    declared: listType !== '',
  };
}

function objectOf(schema: StructuralSchema, options: ViewOptions): TypeView {
  const { additionalProperties, properties, embeddedResource } = schema;
  if (properties.size > 0 || embeddedResource) return structOf(schema, options, embeddedResource);
  if (additionalProperties !== undefined) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, options) : ANY;
    return { kind: 'map', atomic: schema.mapType === 'atomic', values };
  }
  const free = schema.preserveUnknownFields || options.preserveUnknownFields === true;
  if (free) return schema.type === 'object' ? ANY_OBJECT : ANY;
  return structOf(schema, options, false);
}
