/** A default as objects get it: without what the schema does not specify, metadata of embedded resources well-formed. Invariant: a copy; the schema keeps what is written. */
import type { TypeView } from '../apimachinery/type-view.ts';
import { cloneJson, type JsonValue } from '../base/json-value.ts';
import { coerceEmbedded } from './embedded-resource.ts';
import { pruneValue } from './prune.ts';
import type { StructuralSchema } from './structural.ts';

export function pruneDefault(schema: StructuralSchema, objectMeta: TypeView): JsonValue {
  const value = cloneJson(schema.default ?? null);
  coerceEmbedded(schema, value, { objectMeta, dropMalformed: true });
  pruneValue(schema, value, schema.embeddedResource);
  return value;
}
