import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../base/json-value.ts';
import { startTestKube, type TestKube } from '../../../kube-server.fixtures.ts';

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const DRY = '?dryRun=All';

/** The causes of a failed request, each with its field. For other answers, the status code. */
async function ask(method: string, target: string, body: JsonObject): Promise<readonly string[] | number> {
  const { status, body: answer } = await kube.request(method, target, body);
  const causes = (answer['details'] as { causes?: { field: string; message: string }[] } | undefined)?.causes;
  return causes?.map(({ field, message }) => `${field}: ${message}`) ?? status;
}

function volume(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'pv', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
  };
}

function claim(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'c', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

describe('a PersistentVolume', () => {
  const nfs = { server: 's', path: '/p' };
  const refused: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    'without a source': [volume({}), ['spec: Required value: must specify a volume type']],
    'with several sources': [
      volume({ hostPath: { path: '/a' }, flexVolume: {}, cephfs: {}, gcePersistentDisk: {} }),
      [
        'spec.gcePersistentDisk: Forbidden: may not specify more than 1 volume type',
        'spec.cephFS: Forbidden: may not specify more than 1 volume type',
        'spec.flexVolume.driver: Required value',
      ],
    ],
    'with odd capacities': [
      volume({ nfs, capacity: { cpu: '-2' } }),
      [
        'spec.capacity: Unsupported value: {"cpu":"-2"}: supported values: "storage"',
        'spec.capacity[cpu]: Invalid value: -2: must be a valid resource quantity',
        'spec.capacity[cpu]: Invalid value: "-2": must be greater than zero',
      ],
    ],
    'local, without nodes': [
      volume({ local: { path: '/a' } }),
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    'that recycles the root': [
      volume({ hostPath: { path: '/.//' }, persistentVolumeReclaimPolicy: 'Recycle' }),
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    'with mount options that its source does not take': [
      volume({ hostPath: { path: '/a' } }, { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } }),
      [
        'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
      ],
    ],
    'with half a secret': [
      volume({
        csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'a' } },
        volumeAttributesClassName: '',
      }),
      [
        'spec.csi.nodePublishSecretRef.namespace: Required value',
        'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
      ],
    ],
  };
  for (const [title, [object, causes]] of Object.entries(refused))
    test(`is invalid ${title}`, async () => expect(await ask('POST', VOLUMES + DRY, object)).toEqual(causes));

  test('keeps its source, and its node affinity except for renamed labels', async () => {
    const nodes = (key: string) => ({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['linux'] }] }] },
    });
    const csi = { driver: 'd', volumeHandle: 'h' };
    const { body, warnings } = await kube.request(
      'POST',
      VOLUMES,
      volume({ csi, nodeAffinity: nodes('beta.kubernetes.io/os') }),
    );
    expect(warnings[0]).toContain('nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated');
    expect(body).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' },
      status: { phase: 'Pending', lastPhaseTransitionTime: expect.stringMatching(/Z$/) },
    });
    const patch = (spec: JsonObject) => ask('PATCH', `${VOLUMES}/pv${DRY}`, { spec });
    expect(await patch({ nodeAffinity: nodes('kubernetes.io/os') })).toBe(200);
    expect(await patch({ nodeAffinity: nodes('a') })).toEqual([
      'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"a","Operator":"In","Values":["linux"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
    ]);
    expect(await patch({ csi: { controllerExpandSecretRef: { name: 'a', namespace: 'b' } } })).toBe(200);
    const [source] = (await patch({ csi: { fsType: 'xfs' } })) as readonly string[];
    expect(source).toBe(
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -24,7 +24,7 @@\n   "Driver": "d",\n   "VolumeHandle": "h",\n   "ReadOnly": false,\n-  "FSType": "",\n+  "FSType": "xfs",\n   "VolumeAttributes": null,\n   "ControllerPublishSecretRef": null,\n   "NodeStageSecretRef": null,\n',
    );
  });

  test('shows when its phase last changed', async () => {
    const timeOf = async (status: JsonObject) => {
      const { body } = await kube.request('PATCH', `${VOLUMES}/timed/status`, { status });
      return (body['status'] as JsonObject)['lastPhaseTransitionTime'];
    };
    const { body } = await kube.request('POST', VOLUMES, volume({ nfs }, { name: 'timed' }));
    const first = (body['status'] as JsonObject)['lastPhaseTransitionTime'];
    expect(await timeOf({ message: 'm' })).toBe(first);
    const told = '2020-01-01T00:00:00Z';
    expect(await timeOf({ phase: 'Bound', lastPhaseTransitionTime: told })).toBe(told);
    expect(await timeOf({ phase: 'Released' })).not.toBe(told);
  });
});

describe('a PersistentVolumeClaim', () => {
  test('is invalid without access modes and size', async () => {
    expect(await ask('POST', CLAIMS + DRY, { metadata: { name: 'c' } })).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ]);
  });

  test('copies its data source to both fields and drops unsupported ones', async () => {
    const source = { kind: 'PersistentVolumeClaim', name: 'x' };
    const specOf = async (spec: JsonObject) =>
      (await kube.request('POST', CLAIMS + DRY, claim(spec))).body['spec'] as JsonObject;
    expect(await specOf({ dataSource: source })).toMatchObject({ dataSource: source, dataSourceRef: source });
    expect(await specOf({ dataSourceRef: source })).toMatchObject({ dataSource: source, dataSourceRef: source });
    expect(await specOf({ dataSource: { kind: 'Pod', name: 'x' } })).not.toHaveProperty('dataSource');
    expect(await specOf({ dataSourceRef: { ...source, namespace: 'n' } })).not.toHaveProperty('dataSourceRef');
    expect(
      await ask('POST', CLAIMS + DRY, claim({ dataSource: source, dataSourceRef: { ...source, name: 'y' } })),
    ).toEqual(['spec: Invalid value: {}: must match dataSourceRef']);
  });

  test('keeps its spec, and can be expanded only once bound', async () => {
    await kube.request('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'slow' },
      provisioner: 'p',
      allowVolumeExpansion: true,
    });
    await kube.request('POST', CLAIMS, claim({ storageClassName: 'slow' }));
    const resize = (storage: string) =>
      ask('PATCH', `${CLAIMS}/c${DRY}`, { spec: { resources: { requests: { storage } } } });
    expect(await resize('1073741824')).toBe(200);
    expect(await ask('PATCH', `${CLAIMS}/c${DRY}`, { spec: { storageClassName: 'fast' } })).toEqual([
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -10,7 +10,7 @@\n   }\n  },\n  "VolumeName": "",\n- "StorageClassName": "slow",\n+ "StorageClassName": "fast",\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n',
    ]);
    await kube.request('PATCH', `${CLAIMS}/c`, { spec: { volumeName: 'v' } });
    await kube.request('PATCH', `${CLAIMS}/c/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    expect(await resize('2Gi')).toBe(200);
    expect(await resize('1Mi')).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  test('has only known resource names in its status', async () => {
    await kube.request('POST', CLAIMS, claim({}, { name: 's' }));
    const status = {
      capacity: { storage: '-1' },
      allocatedResources: { cpu: '1', storage: '-2' },
      allocatedResourceStatuses: { storage: 'X' },
    };
    expect(await ask('PATCH', `${CLAIMS}/s/status`, { status })).toEqual([
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResources[storage]: Invalid value: -2: must be a valid resource quantity',
    ]);
  });

  test('may have its class in an annotation', async () => {
    const name = 'volume.beta.kubernetes.io/storage-class';
    const answer = await kube.request('POST', CLAIMS, claim({}, { name: 'old', annotations: { [name]: 'slow' } }));
    expect(answer.warnings[0]).toContain('use \\"storageClassName\\" attribute instead');
    const moved = { metadata: { annotations: { [name]: null } }, spec: { storageClassName: 'slow' } };
    expect(await ask('PATCH', `${CLAIMS}/old${DRY}`, moved)).toBe(200);
    expect(await ask('PATCH', `${CLAIMS}/old${DRY}`, { metadata: { annotations: null } })).toEqual([
      `metadata.annotations.${name}: Invalid value: "": field is immutable`,
    ]);
  });
});
