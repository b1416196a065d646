/** The group storage.k8s.io. Invariant: how they work is in `rules/`. */

import { CREATED_AT, NAME, tableOf } from '../../server/resource/columns.ts';
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import {
  csiDriverTable,
  csiDriverWarningsOnCreate,
  csiDriverWarningsOnUpdate,
  prepareCsiDriverForCreate,
  prepareCsiDriverForUpdate,
  setCsiDriverDefaults,
  validateCsiDriver,
  validateCsiDriverUpdate,
} from '../groups/storage/csi-driver.ts';
import { csiNodeTable, validateCsiNode, validateCsiNodeUpdate } from '../groups/storage/csi-node.ts';
import {
  csiStorageCapacityWarnings,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
} from '../groups/storage/csi-storage-capacity.ts';
import {
  setStorageClassDefaults,
  storageClassTable,
  storageClassWarnings,
  validateStorageClass,
  validateStorageClassUpdate,
} from '../groups/storage/storage-class.ts';
import {
  prepareVolumeAttachmentForCreate,
  prepareVolumeAttachmentForUpdate,
  prepareVolumeAttachmentStatusForUpdate,
  setVolumeAttachmentDefaults,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
  volumeAttachmentTable,
} from '../groups/storage/volume-attachment.ts';
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
  volumeAttributesClassTable,
} from '../groups/storage/volume-attributes-class.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';

export function storageResources(): readonly KubeResource[] {
  return [
    { definition: STORAGE_CLASSES },
    { definition: VOLUME_ATTACHMENTS },
    { definition: CSI_DRIVERS },
    { definition: CSI_NODES },
    { definition: CSI_STORAGE_CAPACITIES },
    { definition: VOLUME_ATTRIBUTES_CLASSES },
  ];
}

const STORAGE = { group: 'storage.k8s.io', version: 'v1' } as const;

const STORAGE_CLASSES: ResourceDefinition = storedResource({
  plural: 'storageclasses',
  shortNames: ['sc'],
  scope: 'Cluster',
  versions: [
    builtInVersion({
      ...STORAGE,
      kind: 'StorageClass',
      setDefaults: setStorageClassDefaults,
      table: storageClassTable,
    }),
  ],
  strategy: builtInStrategy({
    validate: validateStorageClass,
    warningsOnCreate: storageClassWarnings,
    validateUpdate: validateStorageClassUpdate,
    warningsOnUpdate: storageClassWarnings,
    returnsDeletedObject: true,
  }),
});

const VOLUME_ATTACHMENT_STRATEGY: Strategy = builtInStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: prepareVolumeAttachmentForCreate,
  validate: validateVolumeAttachment,
  prepareForUpdate: prepareVolumeAttachmentForUpdate,
  validateUpdate: validateVolumeAttachmentUpdate,
  returnsDeletedObject: true,
});

const VOLUME_ATTACHMENTS: ResourceDefinition = storedResource({
  plural: 'volumeattachments',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      ...STORAGE,
      kind: 'VolumeAttachment',
      setDefaults: setVolumeAttachmentDefaults,
      table: volumeAttachmentTable,
    }),
  ],
  strategy: VOLUME_ATTACHMENT_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...VOLUME_ATTACHMENT_STRATEGY,
      prepareForUpdate: prepareVolumeAttachmentStatusForUpdate,
    }),
  ],
});

const CSI_DRIVERS: ResourceDefinition = storedResource({
  plural: 'csidrivers',
  scope: 'Cluster',
  versions: [
    builtInVersion({ ...STORAGE, kind: 'CSIDriver', setDefaults: setCsiDriverDefaults, table: csiDriverTable }),
  ],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    prepareForCreate: prepareCsiDriverForCreate,
    validate: validateCsiDriver,
    warningsOnCreate: csiDriverWarningsOnCreate,
    prepareForUpdate: prepareCsiDriverForUpdate,
    validateUpdate: validateCsiDriverUpdate,
    warningsOnUpdate: csiDriverWarningsOnUpdate,
    returnsDeletedObject: true,
  }),
});

const CSI_NODES: ResourceDefinition = storedResource({
  plural: 'csinodes',
  scope: 'Cluster',
  versions: [builtInVersion({ ...STORAGE, kind: 'CSINode', table: csiNodeTable })],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    validate: validateCsiNode,
    validateUpdate: validateCsiNodeUpdate,
    returnsDeletedObject: true,
  }),
});

const CSI_STORAGE_CAPACITIES: ResourceDefinition = storedResource({
  plural: 'csistoragecapacities',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...STORAGE, kind: 'CSIStorageCapacity', table: tableOf(NAME, CREATED_AT) })],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    validate: (object) => validateCsiStorageCapacity(object),
    warningsOnCreate: csiStorageCapacityWarnings,
    validateUpdate: validateCsiStorageCapacityUpdate,
    warningsOnUpdate: csiStorageCapacityWarnings,
  }),
});

const VOLUME_ATTRIBUTES_CLASSES: ResourceDefinition = storedResource({
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  scope: 'Cluster',
  versions: [
    builtInVersion({ ...STORAGE, kind: 'VolumeAttributesClass', table: volumeAttributesClassTable }),
    builtInVersion({
      ...STORAGE,
      version: 'v1beta1',
      kind: 'VolumeAttributesClass',
      table: volumeAttributesClassTable,
    }),
  ],
  strategy: builtInStrategy({
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
    returnsDeletedObject: true,
  }),
});
