/**
 * The kind PersistentVolumeClaim. Invariant: in a stored claim, `dataSource` and `dataSourceRef` refer to the same
 * object, unless `dataSourceRef` has a namespace.
 */
import { fieldAt, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { keepSpec, keepStatus, moveLast } from '../../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../../shared/built-in.ts';
import { formatAccessModes, storageClassOf } from './access-modes.ts';
import { setClaimDefaults } from './claim-defaults.ts';
import { attributesClassOf, phaseOf, volumeModeOf } from './persistent-volume.ts';
import { claimWarnings, validateClaim, validateClaimStatusUpdate, validateClaimUpdate } from './validate-claim.ts';

const claimTable: () => TableDefinition = tableOf(
  NAME,
  column('Status', 'Whether it is bound, or about to go.', phaseOf),
  column('Volume', 'The volume it is bound to.', (object) => textAt(object, 'spec', 'volumeName')),
  column('Capacity', 'How much its volume holds.', (object) =>
    isBound(object) ? textAt(object, 'status', 'capacity', 'storage') || '0' : '',
  ),
  column('Access Modes', 'How its volume can be mounted.', (object) =>
    isBound(object) ? formatAccessModes(textsAt(object, 'status', 'accessModes')) : '',
  ),
  column('StorageClass', 'Its class.', storageClassOf),
  column('VolumeAttributesClass', 'The class of its attributes.', attributesClassOf),
  AGE,
  column('VolumeMode', 'Block or Filesystem.', volumeModeOf, { priority: 1 }),
);

const PERSISTENT_VOLUME_CLAIM_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: prepareClaimForCreate,
  validate: (object) => validateClaim(object),
  warningsOnCreate: claimWarnings,
  prepareForUpdate: prepareClaimForUpdate,
  validateUpdate: validateClaimUpdate,
  warningsOnUpdate: claimWarnings,
  returnsDeletedObject: true,
});

export const PERSISTENT_VOLUME_CLAIM: KubeResource = {
  definition: storedResource({
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'PersistentVolumeClaim',
        setDefaults: setClaimDefaults,
        table: claimTable,
      }),
    ],
    strategy: PERSISTENT_VOLUME_CLAIM_STRATEGY,
    subresources: [
      statusSubresource(PERSISTENT_VOLUME_CLAIM_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: validateClaimStatusUpdate,
      }),
    ],
  }),
};

function isBound(object: JsonObject): boolean {
  return textAt(object, 'spec', 'volumeName') !== '';
}

function prepareClaimForCreate(object: JsonObject): void {
  object['status'] = { phase: 'Pending' };
  prepareSources(objectAt(object, 'spec'), undefined);
}

function prepareClaimForUpdate(object: JsonObject, old: JsonObject): void {
  keepStatus(object, old);
  prepareSources(objectAt(object, 'spec'), objectAt(old, 'spec'));
}

/**
 * Drops a `dataSourceRef` with a namespace, whose feature gate is off, and a `dataSource` that is neither a claim nor a
 * snapshot, which kube-apiserver ignores. Both are kept if the stored claim has such fields.
 */
function prepareSources(spec: JsonObject | undefined, old: JsonObject | undefined): void {
  if (spec === undefined) return;
  const hadRef = old !== undefined && fieldAt(old, 'dataSourceRef') !== undefined;
  const hadSource = hadRef || (old !== undefined && fieldAt(old, 'dataSource') !== undefined);
  if (!hadRef && textAt(spec, 'dataSourceRef', 'namespace') !== '') delete spec['dataSourceRef'];
  if (!hadSource && fieldAt(spec, 'dataSourceRef') === undefined && !isClaimOrSnapshot(objectAt(spec, 'dataSource')))
    delete spec['dataSource'];
  alignDataSources(spec);
}

function isClaimOrSnapshot(source: JsonObject | undefined): boolean {
  if (source === undefined) return false;
  const group = textAt(source, 'apiGroup');
  const kind = textAt(source, 'kind');
  return group === ''
    ? kind === 'PersistentVolumeClaim'
    : group === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}

/** Copies `dataSource` to `dataSourceRef` or vice versa if one of them is absent. */
function alignDataSources(spec: JsonObject): void {
  const source = objectAt(spec, 'dataSource');
  const ref = objectAt(spec, 'dataSourceRef');
  if (source !== undefined && ref === undefined) {
    spec['dataSourceRef'] = cloneJson(source);
    moveLast(spec, 'volumeAttributesClassName');
  }
  if (ref === undefined || source !== undefined || textAt(ref, 'namespace') !== '') return;
  const { namespace: _, ...local } = cloneJson(ref);
  spec['dataSource'] = local;
  moveLast(spec, 'dataSourceRef', 'volumeAttributesClassName');
}
