/** The columns of EndpointSlices. */
import { fieldAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { firstThree } from '../../shared/table-cells.ts';

export const endpointSliceTable: () => TableDefinition = tableOf(
  NAME,
  column('AddressType', 'What kind of addresses these are.', (object) => textAt(object, 'addressType')),
  column('Ports', 'The ports.', (object) => firstThree(objectsAt(object, 'ports').map(portText)) || '<unset>'),
  column(
    'Endpoints',
    'The addresses.',
    (object) =>
      firstThree(objectsAt(object, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'))) || '<unset>',
  ),
  AGE,
);

function portText(port: JsonObject): string {
  const number = fieldAt(port, 'port');
  if (number !== undefined) return String(number);
  return fieldAt(port, 'name') === undefined ? '*' : textAt(port, 'name');
}
