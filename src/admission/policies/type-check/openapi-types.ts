/**
 * The CEL types of kinds, read from an OpenAPI v3 document of their group-version. The rules are those of
 * k8s.io/apiserver/pkg/cel/common: a value whose schema has no type cannot be read, and neither can a list or map of
 * such values.
 */
import type { GroupVersionKind } from '../../../apimachinery/meta/gvk.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
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
} from '../../../cel/types.ts';
import { escapeName } from '../../../schema/rules/escape-name.ts';

const REF = '#/components/schemas/';

/** `type` is undefined if expressions cannot read the objects. */
export interface FoundType {
  readonly type: CelType | undefined;
}

/** Returns the type of a kind; undefined if the document does not have the kind. */
export function typeOfKind(document: JsonObject, kind: GroupVersionKind): FoundType | undefined {
  const schemas = objectAt(document, 'components', 'schemas') ?? {};
  for (const schema of Object.values(schemas)) {
    if (!isJsonObject(schema)) continue;
    const isKind = objectsAt(schema, 'x-kubernetes-group-version-kind').some(
      (gvk) =>
        textAt(gvk, 'group') === kind.group &&
        textAt(gvk, 'version') === kind.version &&
        textAt(gvk, 'kind') === kind.kind,
    );
    if (isKind) return { type: new TypeReader(schemas).type(schema, { name: kind.kind, isRoot: true, refs: [] }) };
  }
  return undefined;
}

/** The position of a schema in the type of a kind. */
interface Place {
  readonly name: string;
  /** Whether the schema is that of a whole object: its names can be read even if the schema does not list them. */
  readonly isRoot: boolean;
  /** The references on the way. A type inside of itself has no fields. */
  readonly refs: readonly string[];
}

class TypeReader {
  readonly #schemas: JsonObject;

  constructor(schemas: JsonObject) {
    this.#schemas = schemas;
  }

  type(given: JsonObject, place: Place): CelType | undefined {
    const ref = refOf(given);
    if (ref !== '' && place.refs.includes(ref)) return objectType(place.name, new Map());
    const schema = ref === '' ? given : (objectAt(this.#schemas, ref) ?? {});
    const inside = ref === '' ? place : { ...place, refs: [...place.refs, ref] };
    if (schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true) return DYN;
    switch (schema['type']) {
      case 'array':
        return this.#list(schema, inside);
      case 'object':
        return this.#object(schema, inside);
      case 'string':
        return STRINGS[textAt(schema, 'format')] ?? STRING;
      case 'boolean':
        return BOOL;
      case 'number':
        return DOUBLE;
      case 'integer':
        return INT;
      default:
        return undefined;
    }
  }

  #list(schema: JsonObject, place: Place): CelType | undefined {
    const items = objectAt(schema, 'items');
    const type = items && this.#child(items, place, '@idx');
    return type && listOf(type);
  }

  #object(schema: JsonObject, place: Place): CelType | undefined {
    const values = objectAt(schema, 'additionalProperties');
    if (values !== undefined) {
      const type = this.#child(values, place, '@elem');
      return type && mapOf(STRING, type);
    }
    const fields = new Map<string, CelType>();
    for (const [name, property] of Object.entries(propertiesOf(schema, place))) {
      const escaped = escapeName(name);
      const type = isJsonObject(property) ? this.#child(property, place, escaped ?? name) : undefined;
      if (type !== undefined && escaped !== undefined) fields.set(escaped, type);
    }
    return objectType(place.name, fields);
  }

  #child(schema: JsonObject, { name, refs }: Place, step: string): CelType | undefined {
    const isRoot = schema['x-kubernetes-embedded-resource'] === true;
    return this.type(schema, { name: `${name}.${step}`, isRoot, refs });
  }
}

const STRINGS: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
};

const TEXT: JsonObject = { type: 'string' };
const NAMES: JsonObject = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

function propertiesOf(schema: JsonObject, { isRoot }: Place): JsonObject {
  const properties = objectAt(schema, 'properties') ?? {};
  return isRoot ? { ...NAMES, ...properties } : properties;
}

/** A reference may be the only element of `allOf`, beside a description or a default. Returns '' for none. */
function refOf(schema: JsonObject): string {
  const [first = {}] = objectsAt(schema, 'allOf');
  const ref = textAt(schema, '$ref') || textAt(first, '$ref');
  return ref.startsWith(REF) ? ref.slice(REF.length) : '';
}

function objectType(name: string, fields: ReadonlyMap<string, CelType>): ObjectType {
  return { kind: 'object', name, field: (field) => fields.get(field), fieldNames: () => fields.keys() };
}
