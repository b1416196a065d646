/** Columns of Endpoints and EndpointSlices. Invariant: cells are the reference's, which show the first three of many. */
import { fieldAt, numberAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';

const SHOWN = 3;

export const endpointsTable: () => TableDefinition = tableOf(
  NAME,
  column('Endpoints', 'Addresses and ports.', (object) => {
    const subsets = objectsAt(object, 'subsets');
    return subsets.length === 0 ? '<none>' : shorten(subsets.flatMap(addressesOf), '');
  }),
  AGE,
);

export const endpointSliceTable: () => TableDefinition = tableOf(
  NAME,
  column('AddressType', 'What kind of addresses these are.', (object) => textAt(object, 'addressType')),
  column('Ports', 'The ports.', (object) => shorten(objectsAt(object, 'ports').map(portText), '<unset>')),
  column('Endpoints', 'The addresses.', (object) =>
    shorten(
      objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses')),
      '<unset>',
    ),
  ),
  AGE,
);

function addressesOf(subset: JsonObject): readonly string[] {
  const ips = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports');
  if (ports.length === 0) return ips;
  return ports.flatMap((port) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${numberAt(port, 'port')}`));
}

function portText(port: JsonObject): string {
  const number = fieldAt(port, 'port');
  if (number !== undefined) return String(number);
  return fieldAt(port, 'name') === undefined ? '*' : textAt(port, 'name');
}

function shorten(texts: readonly string[], none: string): string {
  const shown = texts.slice(0, SHOWN).join(',');
  if (texts.length > SHOWN) return `${shown} + ${texts.length - SHOWN} more...`;
  return shown || none;
}
