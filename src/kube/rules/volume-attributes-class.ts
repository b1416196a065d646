/** VolumeAttributesClass. Invariant: pure; the issues are the reference's, in its order. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { AGE, column, NAME, tableOf } from '../columns.ts';

export const volumeAttributesClassTable: () => TableDefinition = tableOf(
  NAME,
  column('DriverName', 'The CSI driver it is for.', (object) => textAt(object, 'driverName')),
  AGE,
);
