/** The kind VolumeAttachment. Its spec is immutable. */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, flagAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { rangeText } from '../../../apimachinery/validation/text-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { storageShapes } from '../../../kinds/shapes/storage.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { ensureMeta, keepStatus, metaFacts, takeField } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { roundResourceList } from '../../shared/round-resources.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { validateCsiDriverName } from '../core/volume/csi-name.ts';
import { validatePersistentVolumeSpec } from '../core/volume/validate-persistent-volume.ts';
import { setSourceDefaults } from '../core/volume/volume-defaults.ts';
import { textBytes } from './storage-parameters.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const SOURCE = SPEC.child('source');
const STATUS = FieldPath.of('status');
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const MAX_INT32 = 2 ** 31 - 1;

/** Metadata fields that an update of the status does not change. */
const KEPT_METADATA = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

const volumeAttachmentTable: () => TableDefinition = tableOf(
  NAME,
  column('Attacher', 'The CSI driver that attaches it.', (object) => textAt(object, 'spec', 'attacher'), {
    format: 'name',
  }),
  column('PV', 'The volume.', (object) => textAt(object, 'spec', 'source', 'persistentVolumeName')),
  column('Node', 'Where it is attached to.', (object) => textAt(object, 'spec', 'nodeName')),
  column('Attached', 'Whether it is attached.', (object) => flagAt(object, 'status', 'attached'), { type: 'boolean' }),
  AGE,
);

const VOLUME_ATTACHMENT_STRATEGY: Strategy = strategyWithDefaults({
  allowUnconditionalUpdate: false,
  prepareForCreate: prepareVolumeAttachmentForCreate,
  validate: validateVolumeAttachment,
  prepareForUpdate: keepStatus,
  validateUpdate: validateVolumeAttachmentUpdate,
  returnsDeletedObject: true,
});

export const VOLUME_ATTACHMENT: KubeResource = {
  definition: storedResource({
    plural: 'volumeattachments',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'storage.k8s.io',
        version: 'v1',
        kind: 'VolumeAttachment',
        setDefaults: setVolumeAttachmentDefaults,
        table: volumeAttachmentTable,
      }),
    ],
    strategy: VOLUME_ATTACHMENT_STRATEGY,
    subresources: [
      statusSubresource(VOLUME_ATTACHMENT_STRATEGY, {
        prepareForUpdate: prepareVolumeAttachmentStatusForUpdate,
        validateUpdate: validateVolumeAttachmentUpdate,
        resetFields: RESETS_SPEC_AND_METADATA,
      }),
    ],
  }),
};

function setVolumeAttachmentDefaults(object: JsonObject): void {
  const inline = objectAt(object, 'spec', 'source', 'inlineVolumeSpec');
  if (inline === undefined) return;
  roundResourceList(inline['capacity']);
  setSourceDefaults(inline);
}

function prepareVolumeAttachmentForCreate(object: JsonObject): void {
  object['status'] = { attached: false };
}

function prepareVolumeAttachmentStatusForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const metadata = ensureMeta(object);
  const stored = objectAt(old, 'metadata') ?? {};
  for (const name of KEPT_METADATA) takeField(metadata, stored, name);
}

function validateVolumeAttachment(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  issues.push(...validateCsiDriverName(textAt(object, 'spec', 'attacher'), SPEC.child('attacher')));
  addIssues(issues, validateSource(objectAt(object, 'spec', 'source') ?? {}));
  const node = textAt(object, 'spec', 'nodeName');
  issues.push(...checkDns1123Subdomain(node).map((complaint) => invalid(SPEC.child('nodeName'), node, complaint)));
  addIssues(issues, validateStatus(objectAt(object, 'status') ?? {}));
  const volume = fieldAt(object, 'spec', 'source', 'persistentVolumeName');
  if (typeof volume === 'string')
    issues.push(
      ...checkDns1123Subdomain(volume).map((complaint) =>
        invalid(FieldPath.of('spec.source.persistentVolumeName'), volume, complaint),
      ),
    );
  return issues;
}

function validateVolumeAttachmentUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateVolumeAttachment(object);
  const spec = objectAt(object, 'spec') ?? {};
  if (!equalJson(spec, objectAt(old, 'spec') ?? {}))
    issues.push(declared(invalid(SPEC, goValue(storageShapes, 'VolumeAttachmentSpec', spec), FIELD_IMMUTABLE)));
  return issues;
}

function validateSource(source: JsonObject): FieldIssue[] {
  const inline = objectAt(source, 'inlineVolumeSpec');
  const name = fieldAt(source, 'persistentVolumeName');
  if (inline === undefined && name === undefined) return [required(SOURCE, ONE_SOURCE)];
  if (inline !== undefined && name !== undefined) return [forbidden(SOURCE, ONE_SOURCE)];
  if (inline !== undefined)
    return validatePersistentVolumeSpec(inline, SOURCE.child('inlineVolumeSpec'), { volumeName: '', inline: true });
  return name === ''
    ? [required(SOURCE.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : [];
}

function validateStatus(status: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (textBytes(objectAt(status, 'attachmentMetadata') ?? {}) > MAX_METADATA_BYTES)
    issues.push(tooLong(STATUS.child('attachmentMetadata'), undefined, MAX_METADATA_BYTES));
  for (const name of ['attachError', 'detachError'])
    addIssues(issues, validateError(objectAt(status, name), STATUS.child(name)));
  return issues;
}

/** For a message that is too long, kube-apiserver reports the limit of the attachment metadata. */
function validateError(error: JsonObject | undefined, path: FieldPath): FieldIssue[] {
  if (error === undefined) return [];
  const issues: FieldIssue[] = [];
  if (utf8Length(textAt(error, 'message')) > MAX_MESSAGE_BYTES)
    issues.push(tooLong(path.child('message'), undefined, MAX_METADATA_BYTES));
  const code = fieldAt(error, 'errorCode');
  if (typeof code === 'number' && code < 0)
    issues.push(invalid(path.child('errorCode'), code, rangeText(0, MAX_INT32)));
  return issues;
}
