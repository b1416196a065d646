/**
 * The types of values in rules, derived from a structural schema: the CEL type, the maximum number of elements, and the
 * minimum size as JSON. A schema without a type (it preserves unknown fields) has no declared type, and neither has a
 * list or map of such values: rules cannot read them.
 */
import { utf8Length } from '../../base/utf8.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  type ObjectType,
  STRING,
  TIMESTAMP,
} from '../../cel/types.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { escapeName } from './escape-name.ts';
import { withObjectMeta } from './with-object-meta.ts';

export interface DeclaredType {
  readonly type: CelType;
  /** The maximum number of characters, bytes, items or entries; 0 for types without a size. */
  readonly maxElements: number;
  /** The size of the shortest JSON, in bytes. */
  readonly minSize: number;
  /** The fields of an object, by escaped name. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** The items of a list, or the values of a map. */
  readonly element?: DeclaredType;
  /** The keys of a map. */
  readonly key?: DeclaredType;
}

const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
const MAX_STRING = MAX_REQUEST_BYTES - 2;
const EMPTY_STRING_BYTES = 2;

const BOOLEAN_TYPE: DeclaredType = { type: BOOL, maxElements: 0, minSize: 4 };
const NUMBER_TYPE: DeclaredType = { type: DOUBLE, maxElements: 0, minSize: 1 };
const INTEGER_TYPE: DeclaredType = { type: INT, maxElements: 0, minSize: 1 };
const KEY_TYPE: DeclaredType = { type: STRING, maxElements: 0, minSize: EMPTY_STRING_BYTES };

/**
 * The declared type of a schema; undefined if rules cannot read its values. `isRoot`: true for a whole resource, whose
 * type fields and names rules can read even if the schema does not list them.
 */
export function declaredType(schema: StructuralSchema, isRoot: boolean, name = 'self'): DeclaredType | undefined {
  if (schema.intOrString) return { type: DYN, maxElements: fourBytes(schema.maxLength) ?? MAX_STRING, minSize: 1 };
  switch (schema.type) {
    case 'array':
      return declaredList(schema, name);
    case 'object':
      return declaredObject(isRoot ? withObjectMeta(schema) : schema, name);
    case 'string':
      return declaredString(schema);
    case 'boolean':
      return BOOLEAN_TYPE;
    case 'number':
      return NUMBER_TYPE;
    case 'integer':
      return INTEGER_TYPE;
    default:
      return undefined;
  }
}

function declaredList(schema: StructuralSchema, name: string): DeclaredType | undefined {
  const { items, maxItems } = schema;
  const element = items === undefined ? undefined : declaredType(items, items.embeddedResource, `${name}.@idx`);
  if (element === undefined) return undefined;
  const maxElements =
    maxItems === undefined ? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 1)) : Math.max(0, maxItems);
  return { type: listOf(element.type), maxElements, minSize: 2, element };
}

function declaredObject(schema: StructuralSchema, name: string): DeclaredType | undefined {
  const { additionalProperties: values, maxProperties } = schema;
  if (typeof values === 'object') {
    const element = declaredType(values, values.embeddedResource, `${name}.@elem`);
    if (element === undefined) return undefined;
    // Each entry adds an empty key (two quotes), a colon and a comma to the value, as kube-apiserver counts them.
    const maxElements =
      maxProperties === undefined
        ? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 6))
        : Math.max(0, maxProperties);
    return { type: mapOf(STRING, element.type), maxElements, minSize: 2, key: KEY_TYPE, element };
  }
  const fields = new Map<string, DeclaredType>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [property, child] of schema.properties) {
    const escaped = escapeName(property);
    const type = declaredType(child, child.embeddedResource, `${name}.${escaped ?? property}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    // A request may leave out a required field that has a default.
    if (required.has(property) && child.default === undefined) minSize += utf8Length(property) + type.minSize + 4;
  }
  return { type: objectType(name, fields), maxElements: 0, minSize, fields };
}

function objectType(name: string, fields: ReadonlyMap<string, DeclaredType>): ObjectType {
  return { kind: 'object', name, field: (field) => fields.get(field)?.type, fieldNames: () => fields.keys() };
}

function declaredString(schema: StructuralSchema): DeclaredType {
  const { maxLength } = schema;
  switch (schema.format) {
    case 'byte':
      return {
        type: BYTES,
        maxElements: maxLength === undefined ? MAX_STRING : Math.max(0, maxLength),
        minSize: EMPTY_STRING_BYTES,
      };
    case 'duration':
      return { type: DURATION, maxElements: 32, minSize: 3 };
    case 'date':
      return { type: TIMESTAMP, maxElements: 12, minSize: 12 };
    case 'date-time':
      return { type: TIMESTAMP, maxElements: 32, minSize: 21 };
    default:
      return {
        type: STRING,
        maxElements: fourBytes(maxLength) ?? longestOf(schema.enum) ?? MAX_STRING,
        minSize: EMPTY_STRING_BYTES,
      };
  }
}

/** Limits count characters, costs count bytes: a character has up to four. */
function fourBytes(maxLength: number | undefined): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, maxLength) * 4;
}

function longestOf(values: StructuralSchema['enum']): number | undefined {
  if (values === undefined || values.length === 0) return undefined;
  return values.reduce<number>((max, value) => Math.max(max, typeof value === 'string' ? utf8Length(value) : 0), 0);
}

/** How often a value of the given size can occur in a request of the maximum size, with a comma after each. */
export function maxCardinality(minSize: number): number {
  return Math.floor(MAX_REQUEST_BYTES / (minSize + 1));
}
