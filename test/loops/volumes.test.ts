import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/api.ts';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '../../src/kinds/api/core/v1.ts';
import { VolumeAttributesClass } from '../../src/kinds/api/storage/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

const CLAIM: Pick<PersistentVolumeClaim, 'spec'> = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** Lets the loops work for a while in which nothing must happen. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function createPod(client: Client, name: string, claimName: string, nodeName: string): Promise<void> {
  await client.api(Pod, 'default').create({
    metadata: { name },
    spec: {
      nodeName,
      containers: [{ name: 'main', image: 'x' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
}

describe('the protection loops', () => {
  it('remove a claim at once if no pod uses it', async () => {
    plane = await startPlane();
    const claims = plane.client.api(PersistentVolumeClaim, 'default');
    await claims.create({ metadata: { name: 'free' }, ...CLAIM });
    expect((await claims.delete('free'))?.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await until('it is gone', async () => (await claims.find('free')) === undefined);
    expect(plane.problems).toEqual([]);
  });

  it('keep a claim until the last pod on a node is gone', async () => {
    plane = await startPlane();
    const { client } = plane;
    const claims = client.api(PersistentVolumeClaim, 'default');
    const pods = client.api(Pod, 'default');
    await claims.create({ metadata: { name: 'used' }, ...CLAIM });
    await createPod(client, 'on-a-node', 'used', 'node-1');
    await createPod(client, 'pending', 'used', '');
    await claims.delete('used');
    await turns(200);
    expect(await claims.find('used')).toBeDefined();
    await pods.delete('on-a-node', { gracePeriodSeconds: 0 });
    await until('it is gone', async () => (await claims.find('used')) === undefined);
    expect(plane.problems).toEqual([]);
  });

  it('keep a volume while it is bound', async () => {
    plane = await startPlane();
    const volumes = plane.client.api(PersistentVolume);
    const made = await volumes.create({
      metadata: { name: 'disk' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    });
    await volumes.updateStatus({ ...made, status: { phase: 'Bound' } });
    await volumes.delete('disk');
    await turns(200);
    const bound = await volumes.get('disk');
    await volumes.updateStatus({ ...bound, status: { phase: 'Released' } });
    await until('it is gone', async () => (await volumes.find('disk')) === undefined);
    expect(plane.problems).toEqual([]);
  });

  it('keep a class while a claim names it', async () => {
    plane = await startPlane();
    const { client } = plane;
    const classes = client.api(VolumeAttributesClass);
    const claims = client.api(PersistentVolumeClaim, 'default');
    await classes.create({ metadata: { name: 'fast' }, driverName: 'x.example.com', parameters: { iops: '1' } });
    await claims.create({
      metadata: { name: 'one' },
      spec: { ...CLAIM.spec, volumeAttributesClassName: 'fast' },
    } as PersistentVolumeClaim);
    await classes.delete('fast');
    await turns(200);
    expect(await classes.find('fast')).toBeDefined();
    await claims.delete('one');
    await until('it is gone', async () => (await classes.find('fast')) === undefined);
    expect(plane.problems).toEqual([]);
  });
});
