import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../base/json-value.ts';
import { setClaimTemplateDefaults } from './claim-defaults.ts';
import { setVolumeDefaults } from './volume-defaults.ts';

function defaulted(volume: JsonObject): JsonObject {
  setVolumeDefaults(volume);
  const once = structuredClone(volume);
  setVolumeDefaults(volume);
  expect(volume).toEqual(once);
  return once;
}

describe('defaults of volumes', () => {
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
    'no source': [{}, { emptyDir: {} }],
    hostPath: [{ hostPath: { path: '/a' } }, { hostPath: { path: '/a', type: '' } }],
    secret: [
      { secret: { secretName: 's', optional: true } },
      { secret: { secretName: 's', defaultMode: 420, optional: true } },
    ],
    'a mode that is given': [
      { configMap: { name: 'c', defaultMode: 0 } },
      { configMap: { name: 'c', defaultMode: 0 } },
    ],
    downwardAPI: [
      { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
      {
        downwardAPI: {
          items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
          defaultMode: 420,
        },
      },
    ],
    projected: [
      {
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
          ],
        },
      },
      {
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3600, path: 'token' } },
            { downwardAPI: { items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    iscsi: [
      { iscsi: { targetPortal: 't', iqn: 'i', lun: 0, fsType: 'xfs' } },
      { iscsi: { targetPortal: 't', iqn: 'i', lun: 0, iscsiInterface: 'default', fsType: 'xfs' } },
    ],
    rbd: [
      { rbd: { monitors: ['m'], image: 'i', readOnly: true } },
      {
        rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring', readOnly: true },
      },
    ],
    azureDisk: [
      { azureDisk: { diskName: 'd', diskURI: 'u', fsType: '' } },
      {
        azureDisk: {
          diskName: 'd',
          diskURI: 'u',
          cachingMode: 'ReadWrite',
          fsType: '',
          readOnly: false,
          kind: 'Shared',
        },
      },
    ],
    scaleIO: [
      { scaleIO: { gateway: 'g', system: 's', secretRef: null, volumeName: 'v' } },
      {
        scaleIO: {
          gateway: 'g',
          system: 's',
          secretRef: null,
          storageMode: 'ThinProvisioned',
          volumeName: 'v',
          fsType: 'xfs',
        },
      },
    ],
    image: [{ image: { reference: 'a:1' } }, { image: { reference: 'a:1', pullPolicy: 'IfNotPresent' } }],
    ephemeral: [
      { ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1u' } } } } } },
      {
        ephemeral: {
          volumeClaimTemplate: { spec: { resources: { requests: { storage: '1m' } }, volumeMode: 'Filesystem' } },
        },
      },
    ],
  };

  for (const [name, [given, expected]] of Object.entries(cases))
    test(name, () => {
      expect(defaulted({ name: 'v', ...given })).toEqual({ name: 'v', ...expected });
    });

  test('a claim template is stored with kind and apiVersion', () => {
    const template: JsonObject = { metadata: { name: 't' }, spec: { dataSource: { kind: 'k', name: 'n' } } };
    setClaimTemplateDefaults(template);
    expect(template).toEqual({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 't' },
      spec: { volumeMode: 'Filesystem', dataSource: { kind: 'k', name: 'n' } },
      status: { phase: 'Pending' },
    });
  });
});
