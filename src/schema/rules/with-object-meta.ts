/**
 * The schema of a resource extended by the fields that rules can always read.
 *
 * Invariant: the same schema gives the same result, so that callers may cache by it.
 */
import { EMPTY_SCHEMA } from '../structural/empty-schema.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { deriveSchema } from '../structural/structural-node.ts';

const TEXT: StructuralSchema = { ...EMPTY_SCHEMA, type: 'string' };
const META: StructuralSchema = {
  ...EMPTY_SCHEMA,
  type: 'object',
  properties: new Map([
    ['generateName', TEXT],
    ['name', TEXT],
  ]),
};

const made = new WeakMap<StructuralSchema, StructuralSchema>();

/**
 * Adds `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`. Returns the schema itself if it lists all of
 * them.
 */
export function withObjectMeta(schema: StructuralSchema): StructuralSchema {
  let result = made.get(schema);
  if (result === undefined) {
    result = declaresAll(schema) ? schema : addTo(schema);
    made.set(schema, result);
  }
  return result;
}

function declaresAll({ properties }: StructuralSchema): boolean {
  const metadata = properties.get('metadata');
  return (
    properties.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string'
  );
}

function addTo(schema: StructuralSchema): StructuralSchema {
  const properties = new Map(schema.properties);
  properties.set('kind', TEXT);
  properties.set('apiVersion', TEXT);
  properties.set('metadata', META);
  return deriveSchema(schema, { properties });
}
