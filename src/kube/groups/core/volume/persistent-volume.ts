/** The kind PersistentVolume. The server maintains status.lastPhaseTransitionTime. */
import { ensureObject, fieldAt, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { compareInstant, formatTime, instantFromMillis, parseTime } from '../../../../apimachinery/scalars/time.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy, StrategyContext } from '../../../../server/resource/strategy.ts';
import { keepSpec, keepStatus } from '../../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../../shared/built-in.ts';
import { roundResourceList } from '../../../shared/round-resources.ts';
import { formatAccessModes, storageClassOf } from './access-modes.ts';
import {
  persistentVolumeWarnings,
  validatePersistentVolume,
  validatePersistentVolumeStatusUpdate,
  validatePersistentVolumeUpdate,
} from './validate-persistent-volume.ts';
import { setSourceDefaults } from './volume-defaults.ts';

const persistentVolumeTable: () => TableDefinition = tableOf(
  NAME,
  column('Capacity', 'How much it holds.', (object) => textAt(object, 'spec', 'capacity', 'storage') || '0'),
  column('Access Modes', 'How it can be mounted.', (object) =>
    formatAccessModes(textsAt(object, 'spec', 'accessModes')),
  ),
  column('Reclaim Policy', 'What becomes of it when its claim goes.', (object) =>
    textAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
  ),
  column('Status', 'Whether it is bound, or about to go.', phaseOf),
  column('Claim', 'The claim it is bound to.', (object) => {
    const claim = objectAt(object, 'spec', 'claimRef');
    return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
  }),
  column('StorageClass', 'Its class.', storageClassOf),
  column('VolumeAttributesClass', 'The class of its attributes.', (object) => attributesClassOf(object)),
  column('Reason', 'Why it is in its state.', (object) => textAt(object, 'status', 'reason')),
  AGE,
  column('VolumeMode', 'Block or Filesystem.', (object) => volumeModeOf(object), { priority: 1 }),
);

const PERSISTENT_VOLUME_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: preparePersistentVolumeForCreate,
  validate: validatePersistentVolume,
  warningsOnCreate: persistentVolumeWarnings,
  prepareForUpdate: keepStatus,
  validateUpdate: validatePersistentVolumeUpdate,
  warningsOnUpdate: persistentVolumeWarnings,
  returnsDeletedObject: true,
});

export const PERSISTENT_VOLUME: KubeResource = {
  definition: storedResource({
    plural: 'persistentvolumes',
    shortNames: ['pv'],
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'PersistentVolume',
        setDefaults: setPersistentVolumeDefaults,
        table: persistentVolumeTable,
      }),
    ],
    strategy: PERSISTENT_VOLUME_STRATEGY,
    subresources: [
      statusSubresource(PERSISTENT_VOLUME_STRATEGY, {
        prepareForUpdate: preparePersistentVolumeStatusForUpdate,
        validateUpdate: validatePersistentVolumeStatusUpdate,
      }),
    ],
  }),
};

/** The phase of a volume or claim as tables show it: Terminating once deletionTimestamp is set. */
export function phaseOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'deletionTimestamp') === '' ? textAt(object, 'status', 'phase') : 'Terminating';
}

export function attributesClassOf(object: JsonObject): string {
  return shownText(object, 'volumeAttributesClassName');
}

export function volumeModeOf(object: JsonObject): string {
  return shownText(object, 'volumeMode');
}

function shownText(object: JsonObject, name: string): string {
  const value = fieldAt(object, 'spec', name);
  return typeof value === 'string' ? value : '<unset>';
}

function setPersistentVolumeDefaults(object: JsonObject): void {
  const status = ensureObject(object, 'status');
  if (textAt(status, 'phase') === '') status['phase'] = 'Pending';
  const spec = ensureObject(object, 'spec');
  if (textAt(spec, 'persistentVolumeReclaimPolicy') === '') spec['persistentVolumeReclaimPolicy'] = 'Retain';
  if (spec['volumeMode'] === undefined) spec['volumeMode'] = 'Filesystem';
  roundResourceList(spec['capacity']);
  setSourceDefaults(spec);
}

function preparePersistentVolumeForCreate(object: JsonObject, context: StrategyContext): void {
  object['status'] = { phase: 'Pending', lastPhaseTransitionTime: timeOf(context) };
}

/** When the phase changes, lastPhaseTransitionTime is the client's new value or, without one, now. */
function preparePersistentVolumeStatusForUpdate(object: JsonObject, old: JsonObject, context: StrategyContext): void {
  keepSpec(object, old);
  const status = ensureObject(object, 'status');
  const was = textAt(old, 'status', 'lastPhaseTransitionTime');
  const says = textAt(status, 'lastPhaseTransitionTime');
  if (textAt(status, 'phase') === textAt(old, 'status', 'phase')) {
    if (says === '' && was !== '') status['lastPhaseTransitionTime'] = was;
  } else if (says === '' || sameTime(says, was)) {
    status['lastPhaseTransitionTime'] = timeOf(context);
  }
}

function timeOf(context: StrategyContext): string {
  return formatTime(instantFromMillis(context.request.receivedAt));
}

function sameTime(a: string, b: string): boolean {
  const [first, second] = [parseTime(a), parseTime(b)];
  return first.ok && second.ok && compareInstant(first.value, second.value) === 0;
}
