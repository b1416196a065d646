/** The defaults of volumes of pods and of the sources of PersistentVolumes. */
import { objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject, JsonValue } from '../../../../base/json-value.ts';
import { defaultPullPolicy } from '../pod/spec/image-name.ts';
import { setClaimSpecDefaults } from './claim-defaults.ts';

/** The default mode of files that come from API objects. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

/** Sources whose files come from API objects. */
const FILE_SOURCES = ['secret', 'configMap', 'downwardAPI', 'projected'] as const;

/** Default values of the sources that pods and PersistentVolumes share, by source and field. */
const SHARED_DEFAULTS: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** The defaults of a volume of a pod spec. A volume without a source becomes an emptyDir. */
export function setVolumeDefaults(volume: JsonObject): void {
  if (!hasSource(volume)) volume['emptyDir'] = {};
  setSourceDefaults(volume);
  for (const name of FILE_SOURCES) {
    const source = objectAt(volume, name);
    if (source !== undefined) setAbsent(source, 'defaultMode', FILE_MODE);
  }
  const image = objectAt(volume, 'image');
  if (image !== undefined) setEmpty(image, 'pullPolicy', defaultPullPolicy(textAt(image, 'reference')));
  setFieldRefDefaults(objectsAt(volume, 'downwardAPI', 'items'));
  for (const projection of objectsAt(volume, 'projected', 'sources')) {
    setFieldRefDefaults(objectsAt(projection, 'downwardAPI', 'items'));
    const token = objectAt(projection, 'serviceAccountToken');
    if (token !== undefined) setAbsent(token, 'expirationSeconds', TOKEN_SECONDS);
  }
  const template = objectAt(volume, 'ephemeral', 'volumeClaimTemplate');
  if (template !== undefined) setClaimSpecDefaults(template);
}

/** The defaults of the shared sources. `owner` is a volume of a pod or the spec of a PersistentVolume. */
export function setSourceDefaults(owner: JsonObject): void {
  const hostPath = objectAt(owner, 'hostPath');
  if (hostPath !== undefined) setAbsent(hostPath, 'type', '');
  for (const name in SHARED_DEFAULTS) {
    const source = objectAt(owner, name);
    if (source === undefined) continue;
    const defaults = SHARED_DEFAULTS[name] as Readonly<Record<string, JsonValue>>;
    // The fields of azureDisk are pointers in Go: an empty value is kept.
    const set = name === 'azureDisk' ? setAbsent : setEmpty;
    for (const field in defaults) set(source, field, defaults[field] as JsonValue);
  }
}

function hasSource(volume: JsonObject): boolean {
  for (const name in volume) if (name !== 'name' && volume[name] !== undefined) return true;
  return false;
}

function setFieldRefDefaults(items: readonly JsonObject[]): void {
  for (const item of items) {
    const fieldRef = objectAt(item, 'fieldRef');
    if (fieldRef !== undefined) setEmpty(fieldRef, 'apiVersion', 'v1');
  }
}

function setAbsent(object: JsonObject, name: string, value: JsonValue): void {
  if (object[name] === undefined) object[name] = value;
}

function setEmpty(object: JsonObject, name: string, value: JsonValue): void {
  if (object[name] === undefined || object[name] === '') object[name] = value;
}
