/** StorageClass. Invariant: pure; the issues are the reference's, in its order. */
import { flagAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { AGE, column, tableOf } from '../columns.ts';

/** Marks the class that claims get if they ask for none; the second is its old name. */
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

export const storageClassTable: () => TableDefinition = tableOf(
  column(
    'Name',
    'The name of the class, and whether it is the default.',
    (object) => textAt(object, 'metadata', 'name') + (isDefaultClass(object) ? ' (default)' : ''),
    { format: 'name' },
  ),
  column('Provisioner', 'Who makes its volumes.', (object) => textAt(object, 'provisioner')),
  column('ReclaimPolicy', 'What becomes of its volumes when their claims go.', (object) =>
    textAt(object, 'reclaimPolicy'),
  ),
  column('VolumeBindingMode', 'When its claims are bound.', (object) => textAt(object, 'volumeBindingMode')),
  column('AllowVolumeExpansion', 'Whether its volumes can grow.', (object) => flagAt(object, 'allowVolumeExpansion')),
  AGE,
);

export function isDefaultClass(object: JsonObject): boolean {
  return DEFAULT_ANNOTATIONS.some((name) => textAt(object, 'metadata', 'annotations', name) === 'true');
}

export function setStorageClassDefaults(object: JsonObject): void {
  if (object['reclaimPolicy'] === undefined) object['reclaimPolicy'] = 'Delete';
  if (object['volumeBindingMode'] === undefined) object['volumeBindingMode'] = 'Immediate';
}
