import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { causesOf, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

const GROUP = '/apis/storage.k8s.io/v1';
const DRY = '?dryRun=All';

async function ask(method: string, target: string, body: JsonObject): Promise<readonly string[] | number> {
  const { status, body: answer } = await kube.request(method, GROUP + target + DRY, body);
  const causes = causesOf({ body: answer });
  return causes.length > 0 ? causes : status;
}

async function create(target: string, body: JsonObject): Promise<JsonObject> {
  const { status, body: answer } = await kube.request('POST', GROUP + target, body);
  expect(status).toBe(201);
  return answer;
}

describe('StorageClass', () => {
  const metadata = { name: 'sc' };

  test('needs a provisioner and unique topologies', async () => {
    expect(await ask('POST', '/storageclasses', { metadata, volumeBindingMode: '', reclaimPolicy: 'Recycle' })).toEqual(
      [
        'provisioner: Required value',
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    );
    const allowedTopologies = [
      { matchLabelExpressions: [{ key: 'z', values: ['1', '2'] }] },
      { matchLabelExpressions: [{ key: 'z', values: ['2', '1', '1'] }, { key: 'z' }] },
      { matchLabelExpressions: [{ key: 'z', values: ['2', '1'] }] },
    ];
    expect(await ask('POST', '/storageclasses', { metadata, provisioner: 'p', allowedTopologies })).toEqual([
      'allowedTopologies[1].matchLabelExpressions[0].values[2]: Duplicate value: "1"',
      'allowedTopologies[1].matchLabelExpressions[1].values: Required value',
      'allowedTopologies[1].matchLabelExpressions[1].key: Duplicate value: "z"',
      'allowedTopologies[2].matchLabelExpressions: Duplicate value: ""',
    ]);
    const empty = { metadata, provisioner: 'p', allowedTopologies: [{}] };
    expect(await ask('POST', '/storageclasses', empty)).toEqual([
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
    ]);
  });

  test('has limited and immutable parameters', async () => {
    const parameters = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 'v']));
    expect(await ask('POST', '/storageclasses', { metadata, provisioner: 'p', parameters })).toEqual([
      'parameters: Too long: may not be more than 512 bytes',
    ]);
    const made = await create('/storageclasses', { metadata, provisioner: 'p', parameters: { a: 'b' } });
    expect(made).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    expect(await ask('PATCH', '/storageclasses/sc', { parameters: { a: 'c' }, provisioner: 'q' })).toEqual([
      'parameters: Invalid value: {"a":"c"}: field is immutable',
      'provisioner: Invalid value: "q": field is immutable',
    ]);
    expect(await ask('PATCH', '/storageclasses/sc', { allowVolumeExpansion: true })).toBe(200);
  });
});

test('a VolumeAttributesClass needs parameters, which are immutable', async () => {
  const metadata = { name: 'vac' };
  expect(await ask('POST', '/volumeattributesclasses', { metadata })).toEqual([
    'driverName: Required value',
    'parameters: Required value: must contain at least one key/value pair',
  ]);
  await create('/volumeattributesclasses', { metadata, driverName: 'd', parameters: { a: 'b' } });
  expect(await ask('PATCH', '/volumeattributesclasses/vac', { driverName: 'e', parameters: { a: 'c' } })).toEqual([
    'driverName: Forbidden: updates to driverName are forbidden.',
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
});

test('a CSIDriver has defaults, counts generations and has immutable attachRequired and volumeLifecycleModes', async () => {
  const made = await create('/csidrivers', { metadata: { name: 'd' }, spec: { preventPodSchedulingIfMissing: true } });
  expect(JSON.stringify(made['spec'])).toBe(
    '{"attachRequired":true,"podInfoOnMount":false,"volumeLifecycleModes":["Persistent"],"storageCapacity":false,"fsGroupPolicy":"ReadWriteOnceWithFSType","requiresRepublish":false,"seLinuxMount":false}',
  );
  expect(await ask('PATCH', '/csidrivers/d', { spec: { attachRequired: false } })).toEqual([
    'spec.attachedRequired: Invalid value: false: field is immutable',
  ]);
  const changed = await kube.request('PATCH', `${GROUP}/csidrivers/d`, {
    spec: { tokenRequests: [{ audience: 'a' }] },
  });
  expect(changed.body).toMatchObject({ metadata: { generation: 1 } });
  expect(changed.warnings[0]).toContain('spec.serviceAccountTokenInSecrets is unset');
  const spec = {
    fsGroupPolicy: 'x',
    tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }],
    volumeLifecycleModes: ['X'],
    nodeAllocatableUpdatePeriodSeconds: 9,
  };
  expect(await ask('POST', '/csidrivers', { metadata: { name: 'e' }, spec })).toEqual([
    'spec.fsGroupPolicy: Unsupported value: "x": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    'spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    'spec.tokenRequests[1].audience: Duplicate value: "a"',
    'spec.volumeLifecycleModes: Unsupported value: "X": supported values: "Persistent", "Ephemeral"',
    'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
  ]);
});

test('a CSINode has immutable drivers, except their allocatable', async () => {
  const driver = { name: 'x', nodeID: '1', topologyKeys: ['a'] };
  await create('/csinodes', { metadata: { name: 'n' }, spec: { drivers: [driver] } });
  const patch = (drivers: JsonObject[]) => ask('PATCH', '/csinodes/n', { spec: { drivers } });
  expect(await patch([{ ...driver, allocatable: { count: 4 } }])).toBe(200);
  expect(await patch([{ ...driver, nodeID: '2' }])).toEqual([
    'spec.drivers: Invalid value: {"Name":"x","NodeID":"2","TopologyKeys":["a"],"Allocatable":null}: field is immutable',
  ]);
  expect(await patch([driver, { name: 'x', nodeID: '', topologyKeys: ['', 'a', 'a'] }])).toContain(
    'spec.drivers[1].name: Duplicate value: "x"',
  );
});

test('a CSIStorageCapacity has an immutable topology and storage class', async () => {
  const path = '/namespaces/default/csistoragecapacities';
  await create(path, { metadata: { name: 'c' }, storageClassName: 's', capacity: '1Gi' });
  expect(await ask('PATCH', `${path}/c`, { capacity: '2Gi' })).toBe(200);
  expect(await ask('PATCH', `${path}/c`, { capacity: '-1', storageClassName: 't' })).toEqual([
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
    'storageClassName: Invalid value: "t": field is immutable',
  ]);
});

describe('VolumeAttachment', () => {
  const spec = { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } };

  test('has exactly one source', async () => {
    const post = (source: JsonObject) =>
      ask('POST', '/volumeattachments', { metadata: { name: 'va' }, spec: { ...spec, source } });
    expect(await post({})).toEqual([
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ]);
    expect(await post({ inlineVolumeSpec: { capacity: { storage: '1' }, nfs: { server: 's', path: '/' } } })).toEqual([
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.accessModes: Required value',
    ]);
    const local = { accessModes: ['ReadWriteOnce'], local: { path: '/a' }, nodeAffinity: {} };
    expect(await post({ inlineVolumeSpec: local })).toEqual([
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.nodeAffinity: Required value: Local volume requires node affinity',
    ]);
  });

  test('has an immutable spec, and /status changes no metadata', async () => {
    const made = await create('/volumeattachments', { metadata: { name: 'va' }, spec, status: { attached: true } });
    expect(made['status']).toEqual({ attached: false });
    const { resourceVersion } = made['metadata'] as { resourceVersion: string };
    expect(await ask('PATCH', '/volumeattachments/va', { spec: { nodeName: 'm' } })).toEqual([
      'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"p","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ]);
    const status = { attached: true, attachError: { message: 'm', errorCode: -1 } };
    expect(await ask('PATCH', '/volumeattachments/va/status', { status })).toEqual([
      'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ]);
    const patched = await kube.request('PATCH', `${GROUP}/volumeattachments/va/status`, {
      metadata: { resourceVersion, labels: { a: 'b' } },
      status: { attached: true },
    });
    expect(patched.body).toMatchObject({ status: { attached: true } });
    expect(patched.body['metadata']).not.toHaveProperty('labels');
  });
});
