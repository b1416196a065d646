/**
 * Defaults in the form in which they are filled in: pruned, and with the metadata of embedded resources coerced. The
 * results are copies; the schema is not modified.
 */
import type { TypeView } from '../apimachinery/type-view.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { coerceEmbedded } from './embedded-resource.ts';
import { pruneValue } from './prune.ts';
import { EMBEDDED_RESOURCE, namedSchema, type SchemaSource, someNode } from './structural/schema-source.ts';
import type { StructuralSchema } from './structural/structural.ts';

/** Returns the default of a node; undefined if pruning removes all of it. */
export type DefaultOf = (schema: StructuralSchema) => JsonValue | undefined;

/** `root` is the schema of a whole resource. */
export function defaultsOf(root: StructuralSchema, objectMeta: TypeView): DefaultOf {
  let inMetadata: Map<StructuralSchema, MetaPlace> | undefined;
  return (schema) => {
    inMetadata ??= hasMetaDefaults(root.source) ? metaPlaces(root) : new Map();
    const value = cloneJson(schema.default ?? null);
    const place = inMetadata.get(schema);
    if (place !== undefined) return metaDefault(value, place, objectMeta);
    coerceEmbedded(schema, value, { objectMeta, dropMalformed: true });
    pruneValue(schema, value, schema.embeddedResource);
    return value;
  };
}

/** The place of a node inside the type fields or metadata of a resource. */
interface MetaPlace {
  readonly resource: StructuralSchema;
  /** The path from the resource to the node: names of fields, and 0 for the items of a list. */
  readonly steps: readonly (string | 0)[];
}

/** Coerces a resource that has the value at the place, and returns what is left at that place. */
function metaDefault(value: JsonValue, { resource, steps }: MetaPlace, objectMeta: TypeView): JsonValue | undefined {
  const object = steps.reduceRight<JsonValue>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value);
  coerceEmbedded(resource, object, { objectMeta, isResource: true, dropMalformed: true });
  pruneValue(resource, object, true);
  let found: JsonValue | undefined = object;
  for (const step of steps)
    found = isJsonObject(found) || Array.isArray(found) ? (found as JsonObject)[step] : undefined;
  return found;
}

/**
 * True if the type fields or metadata of a resource contain a default. This is rare, so it is checked before the places
 * are collected.
 */
function hasMetaDefaults(root: SchemaSource): boolean {
  return someNode(root, (node) => {
    if (node !== root && node[EMBEDDED_RESOURCE] !== true) return false;
    return META_FIELDS.some((name) => {
      const field = namedSchema(node, 'properties', name);
      return field !== undefined && someNode(field, (inner) => (inner['default'] ?? null) !== null);
    });
  });
}

const META_FIELDS = ['apiVersion', 'kind', 'metadata'] as const;

function metaPlaces(root: StructuralSchema): Map<StructuralSchema, MetaPlace> {
  const places = new Map<StructuralSchema, MetaPlace>();
  const visit = (schema: StructuralSchema, isResource: boolean, place: MetaPlace | undefined): void => {
    if (place !== undefined && schema.default !== undefined) places.set(schema, place);
    const below = (step: string | 0): MetaPlace | undefined => {
      if (place !== undefined) return { ...place, steps: [...place.steps, step] };
      const isMeta = isResource && META_FIELDS.some((name) => name === step);
      return isMeta ? { resource: schema, steps: [step] } : undefined;
    };
    const { items, additionalProperties, properties } = schema;
    const next = (part: StructuralSchema, step: string | 0): void => visit(part, part.embeddedResource, below(step));
    if (items !== undefined) next(items, 0);
    if (typeof additionalProperties === 'object') next(additionalProperties, '*');
    for (const [name, property] of properties) next(property, name);
  };
  visit(root, true, undefined);
  return places;
}
