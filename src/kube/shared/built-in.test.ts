import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { setStatefulSetDefaults } from '../groups/apps/stateful-set.ts';
import { setLimitRangeDefaults } from '../groups/core/limit-range.ts';
import { setPodDefaults } from '../groups/core/pod/pod-defaults.ts';
import { setSecretDefaults } from '../groups/core/secret.ts';
import { setPriorityLevelDefaults } from '../groups/flowcontrol/priority-level-configuration.ts';
import { builtInVersion } from './built-in.ts';

type SetDefaults = (object: JsonObject) => void;

/** The spec with the defaults of the kind, as text, so that the order of fields is compared. */
function completed(version: readonly [string, string, string], setDefaults: SetDefaults, spec: JsonObject): string {
  const [group, number, kind] = version;
  const object: JsonObject = { kind, apiVersion: number, metadata: { name: 'x' }, spec };
  builtInVersion({ group, version: number, kind, setDefaults }).setDefaults?.(object);
  return JSON.stringify(object['spec']);
}

describe('fields added by defaulting', () => {
  it('are in the order of the type, inside lists as well', () => {
    const limit = { type: 'Container', max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '1' } };
    expect(completed(['', 'v1', 'LimitRange'], setLimitRangeDefaults, { limits: [limit] })).toBe(
      '{"limits":[{"type":"Container","max":{"cpu":"2"},"default":{"cpu":"2"},"defaultRequest":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"1"}}]}',
    );
    const limited = { borrowingLimitPercent: 5, limitResponse: { type: 'Reject' } };
    const level = { type: 'Limited', limited };
    const flows = ['flowcontrol.apiserver.k8s.io', 'v1', 'PriorityLevelConfiguration'] as const;
    expect(completed(flows, setPriorityLevelDefaults, level)).toBe(
      '{"type":"Limited","limited":{"nominalConcurrencyShares":30,"limitResponse":{"type":"Reject"},"lendablePercent":0,"borrowingLimitPercent":5}}',
    );
  });

  it('are in the order of the type in volumes', () => {
    const volumes = [
      { name: 'a', secret: { secretName: 's', optional: true } },
      { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { name: 'c', iscsi: { targetPortal: 't', iqn: 'i', lun: 0, fsType: 'xfs' } },
      { name: 'd', scaleIO: { gateway: 'g', system: 's', secretRef: null, volumeName: 'v' } },
    ];
    expect(completed(['', 'v1', 'Pod'], setPodDefaults, { volumes, containers: [] })).toContain(
      '"volumes":[{"name":"a","secret":{"secretName":"s","defaultMode":420,"optional":true}},' +
        '{"name":"b","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3600,"path":"t"}}],"defaultMode":420}},' +
        '{"name":"c","iscsi":{"targetPortal":"t","iqn":"i","lun":0,"iscsiInterface":"default","fsType":"xfs"}},' +
        '{"name":"d","scaleIO":{"gateway":"g","system":"s","secretRef":null,"storageMode":"ThinProvisioned","volumeName":"v","fsType":"xfs"}}]',
    );
  });

  it('are in the order of the type in claim templates', () => {
    const claim = { metadata: { name: 't' }, spec: { dataSource: { kind: 'k', name: 'n' } }, status: { capacity: {} } };
    const sets = ['apps', 'v1', 'StatefulSet'] as const;
    expect(completed(sets, setStatefulSetDefaults, { volumeClaimTemplates: [claim] })).toContain(
      '"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"t"},' +
        '"spec":{"volumeMode":"Filesystem","dataSource":{"kind":"k","name":"n"}},"status":{"phase":"Pending","capacity":{}}}]',
    );
  });

  it('put the stringData of a Secret into data, before its type', () => {
    const secret: JsonObject = { metadata: {}, stringData: { a: 'b' }, type: 't' };
    builtInVersion({ group: '', version: 'v1', kind: 'Secret', setDefaults: setSecretDefaults }).setDefaults?.(secret);
    expect(JSON.stringify(secret)).toBe('{"metadata":{},"data":{"a":"Yg=="},"type":"t"}');
  });
});
