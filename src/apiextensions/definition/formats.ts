/** Formats that nothing checks: the author is warned of them. Invariant: the list is the reference's. */
import type { JsonObject } from '../../base/json-value.ts';
import { textAt } from '../object-fields.ts';
import { toV1beta1 } from './conversion.ts';
import { schemaHas, schemasOf } from './schema-walk.ts';

/** Without their dashes. */
const TEXT_FORMATS: ReadonlySet<string> = new Set([
  'bsonobjectid',
  'uri',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'date',
  'duration',
  'datetime',
  'k8sshortname',
  'k8slongname',
]);

/** The unknown formats of a definition of either version, in the order in which they are found, repeated ones included. */
export function unknownFormats(object: JsonObject, isV1beta1: boolean): readonly string[] {
  const found: string[] = [];
  for (const schema of schemasOf(isV1beta1 ? object : toV1beta1(object, ''))) {
    schemaHas(schema, (one) => {
      const format = textAt(one, 'format');
      if (format !== '' && !isKnown(textAt(one, 'type'), format)) found.push(format);
      return false;
    });
  }
  return found;
}

function isKnown(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return TEXT_FORMATS.has(format.replaceAll('-', ''));
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
