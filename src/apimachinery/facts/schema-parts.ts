/**
 * The types of JSON schemas whose JSON form differs from that of their fields: any JSON value, and a schema or
 * something else. Invariant: an accepted value is read back from its fields unchanged, as far as the type can hold it.
 */

import { isJsonObject, type JsonValue } from '../../base/json-value.ts';
import {
  type AnyMessage,
  type AnyView,
  createStructView,
  type FieldView,
  type StructView,
  type TypeView,
} from '../type-view.ts';

export type SchemaWord = 'json-text' | 'schema-or-array' | 'schema-or-bool' | 'schema-or-string-array';

/** `modelPrefix` precedes the name in OpenAPI. `schema` is JSONSchemaProps of the same package. */
export function schemaPartView(word: SchemaWord, modelPrefix: string, schema: () => StructView): AnyView {
  switch (word) {
    case 'json-text':
      return { kind: 'any', raw: 'json', name: `${modelPrefix}JSON` };
    case 'schema-or-array':
      return partView(`${modelPrefix}JSONSchemaPropsOrArray`, schemaOrArray(schema));
    case 'schema-or-bool':
      return partView(`${modelPrefix}JSONSchemaPropsOrBool`, schemaOrBool(schema));
    case 'schema-or-string-array':
      return partView(`${modelPrefix}JSONSchemaPropsOrStringArray`, schemaOrStringArray(schema));
  }
}

function partView(name: string, message: AnyMessage): AnyView {
  return { kind: 'any', raw: 'json', name, message };
}

/** A value that is neither a schema nor a list is read as empty, as in the reference. */
function schemaOrArray(schema: () => StructView): AnyMessage {
  const view = lazyStruct('JSONSchemaPropsOrArray', () => [
    field('schema', schema(), { number: 1, pointer: true }),
    field('jSONSchemas', list(schema()), { number: 2, pointer: false }),
  ]);
  return {
    view,
    toFields: (value) => (Array.isArray(value) ? { jSONSchemas: value } : isJsonObject(value) ? { schema: value } : {}),
    fromFields: (fields) => nonEmpty(fields['jSONSchemas']) ?? fields['schema'] ?? null,
  };
}

/** As `schemaOrArray`, with a list of names. */
function schemaOrStringArray(schema: () => StructView): AnyMessage {
  const view = lazyStruct('JSONSchemaPropsOrStringArray', () => [
    field('schema', schema(), { number: 1, pointer: true }),
    field('property', list({ kind: 'scalar', scalar: 'string' }), { number: 2, pointer: false }),
  ]);
  return {
    view,
    toFields: (value) => (Array.isArray(value) ? { property: value } : isJsonObject(value) ? { schema: value } : {}),
    fromFields: (fields) => nonEmpty(fields['property']) ?? fields['schema'] ?? null,
  };
}

/** If there is a schema the flag is true, whatever the wire says. */
function schemaOrBool(schema: () => StructView): AnyMessage {
  const view = lazyStruct('JSONSchemaPropsOrBool', () => [
    field('allows', { kind: 'scalar', scalar: 'boolean' }, { number: 1, pointer: false }),
    field('schema', schema(), { number: 2, pointer: true }),
  ]);
  return {
    view,
    toFields: (value) => {
      if (isJsonObject(value)) return { allows: true, schema: value };
      return typeof value === 'boolean' ? { allows: value } : undefined;
    },
    fromFields: (fields) => fields['schema'] ?? fields['allows'] === true,
    expected: 'boolean or JSON schema expected',
  };
}

function nonEmpty(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function lazyStruct(name: string, fields: () => Iterable<FieldView>): () => StructView {
  const view = createStructView(name, fields);
  return () => view;
}

function list(items: TypeView): TypeView {
  return { kind: 'list', items, listType: 'atomic', mapKeys: [] };
}

function field(name: string, type: TypeView, wire: { readonly number: number; readonly pointer: boolean }): FieldView {
  return {
    name,
    type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: false,
    defaultValue: undefined,
    wire: { ...wire, omitEmpty: true },
  };
}
