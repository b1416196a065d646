/** VolumeAttachment. Invariant: pure; the issues are the reference's, in its order; the spec never changes. */
import { flagAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { roundResourceList } from '../checks/round-resources.ts';
import { AGE, column, NAME, tableOf } from '../columns.ts';
import { ensureMeta, takeField } from '../object-fields.ts';
import { setSourceDefaults } from './volume/volume-defaults.ts';

/** Metadata that an update of the status leaves alone. */
const KEPT_METADATA = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

export const volumeAttachmentTable: () => TableDefinition = tableOf(
  NAME,
  column('Attacher', 'The CSI driver that attaches it.', (object) => textAt(object, 'spec', 'attacher'), {
    format: 'name',
  }),
  column('PV', 'The volume.', (object) => textAt(object, 'spec', 'source', 'persistentVolumeName')),
  column('Node', 'Where it is attached to.', (object) => textAt(object, 'spec', 'nodeName')),
  column('Attached', 'Whether it is attached.', (object) => flagAt(object, 'status', 'attached'), { type: 'boolean' }),
  AGE,
);

export function setVolumeAttachmentDefaults(object: JsonObject): void {
  const inline = objectAt(object, 'spec', 'source', 'inlineVolumeSpec');
  if (inline === undefined) return;
  roundResourceList(inline['capacity']);
  setSourceDefaults(inline);
}

export function prepareVolumeAttachmentForCreate(object: JsonObject): void {
  object['status'] = { attached: false };
}

export function prepareVolumeAttachmentForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'status');
}

export function prepareVolumeAttachmentStatusForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const metadata = ensureMeta(object);
  const stored = objectAt(old, 'metadata') ?? {};
  for (const name of KEPT_METADATA) takeField(metadata, stored, name);
}
