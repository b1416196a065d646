/** The formats in a definition that validation does not know. Clients are warned of them. */

import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { isKnownFormat } from '../../../schema/formats/format-check.ts';
import { plainSchema } from '../../../schema/structural/plain-nodes.ts';
import { schemaHas, schemasOf } from './schema-walk.ts';

/**
 * Returns the unknown formats of a definition of either version, in the order in which they occur, with repetitions.
 */
export function unknownFormats(object: JsonObject, isV1beta1: boolean): readonly string[] {
  const found: string[] = [];
  for (const schema of isV1beta1 ? schemasOf(object) : distinctSchemas(object)) {
    if (plainSchema(schema, true).isWhole) continue;
    schemaHas(schema, (one) => {
      const format = textAt(one, 'format');
      if (format !== '' && !isKnownFormat(textAt(one, 'type'), format)) found.push(format);
      return false;
    });
  }
  return found;
}

/**
 * Returns the schemas of a v1 definition. A schema that all versions have in common counts once, as at the top of
 * v1beta1.
 */
function distinctSchemas(object: JsonObject): readonly JsonObject[] {
  const versions = objectsAt(object, 'spec', 'versions');
  const schemas = versions
    .map((version) => objectAt(version, 'schema', 'openAPIV3Schema'))
    .filter((schema) => schema !== undefined);
  const [first, ...others] = schemas;
  if (first === undefined || schemas.length < versions.length) return schemas;
  return others.every((schema) => equalJson(schema, first)) ? [first] : schemas;
}
