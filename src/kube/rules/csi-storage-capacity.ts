/** CSIStorageCapacity. Invariant: pure; the issues are the reference's, in its order. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { column, NAME, tableOf } from '../columns.ts';

export const csiStorageCapacityTable: () => TableDefinition = tableOf(
  NAME,
  column('StorageClassName', 'The class whose capacity it tells.', (object) => textAt(object, 'storageClassName')),
  column('Capacity', 'How much there is.', (object) => textAt(object, 'capacity') || '<unset>'),
);
