/** CSINode. Invariant: pure; the issues are the reference's, in its order. */
import { listAt } from '../../apimachinery/meta/object-fields.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { AGE, column, NAME, tableOf } from '../columns.ts';

export const csiNodeTable: () => TableDefinition = tableOf(
  NAME,
  column('Drivers', 'How many CSI drivers the node has.', (object) => listAt(object, 'spec', 'drivers').length, {
    type: 'integer',
  }),
  AGE,
);
