/** Formats that nothing checks: the author is warned of them. Invariant: they are those that validation does not know. */

import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isKnownFormat } from '../../schema/formats/formats.ts';
import { toV1beta1 } from './conversion.ts';
import { schemaHas, schemasOf } from './schema-walk.ts';

/** The unknown formats of a definition of either version, in the order in which they are found, repeated ones included. */
export function unknownFormats(object: JsonObject, isV1beta1: boolean): readonly string[] {
  const found: string[] = [];
  for (const schema of schemasOf(isV1beta1 ? object : toV1beta1(object, ''))) {
    schemaHas(schema, (one) => {
      const format = textAt(one, 'format');
      if (format !== '' && !isKnownFormat(textAt(one, 'type'), format)) found.push(format);
      return false;
    });
  }
  return found;
}
