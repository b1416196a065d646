/** The loop of ResourceQuotas in a control plane: what it counts, when it counts, and what it leaves alone. */
import { afterEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/base/logger.ts';
import { createInformerSet } from '../../src/client/informer-set.ts';
import type { Stored } from '../../src/client/object-types.ts';
import { ConfigMap, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../src/kinds/api/core/v1.ts';
import { QuotaRules } from '../../src/kube/admission/resource-quota/quota-rules.ts';
import { resourceQuotaLoop } from '../../src/loops/resource-quota/resource-quota-loop.ts';
import { holdCreate } from './held-create.fixtures.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';
import { defineWidgets, WIDGET } from './widgets.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

type Amounts = Readonly<Record<string, string>>;

async function createQuota(hard: Amounts, spec: ResourceQuota['spec'] = {}): Promise<void> {
  await quotas().create({ metadata: { name: 'q' }, spec: { hard: { ...hard }, ...spec } });
}

function quotas() {
  return plane.client.api(ResourceQuota, 'default');
}

/** Waits until the status of the quota has this usage and no other. */
async function uses(used: Amounts): Promise<Stored<ResourceQuota>> {
  let quota = await quotas().get('q');
  try {
    await until('', async () => {
      quota = await quotas().get('q');
      const seen = quota.status?.used ?? {};
      return (
        Object.keys(seen).length === Object.keys(used).length && Object.keys(used).every((n) => seen[n] === used[n])
      );
    });
  } catch {
    throw new TypeError(`expected ${JSON.stringify(used)}, not ${JSON.stringify(quota.status?.used)}`);
  }
  return quota;
}

function pod(name: string, requests: Amounts = {}, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  const resources = { requests: { ...requests } };
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec } };
}

async function finish(name: string): Promise<void> {
  const pods = plane.client.api(Pod, 'default');
  await pods.updateStatus({ ...(await pods.get(name)), status: { phase: 'Succeeded' } });
}

describe('the loop of ResourceQuotas', () => {
  it('follows stored objects only while a quota exists', async () => {
    plane = await startPlane({ controllers: [] });
    const informers = createInformerSet({ transport: plane.plane.transport, clock: plane.clock });
    informers.start();
    const following = new Set<object>();
    const loop = resourceQuotaLoop.start({
      client: plane.client,
      informers,
      served: { list: () => [], find: none, findKind: none, unavailable: () => [], onChange: () => ({ stop: none }) },
      stored: {
        follow: (listener) => {
          following.add(listener);
          return { stop: () => void following.delete(listener) };
        },
        count: none,
        values: async function* () {},
      },
      writes: { ended: none },
      quotaRules: new QuotaRules(() => plane.clock.now()),
      policyTypes: { check: async () => [] },
      resourceQuotaSyncMs: 0,
      rootCa: '',
      signLegacyToken: async () => '',
      certificates: undefined,
      clock: plane.clock,
      logger: SILENT,
      random: () => 0,
    });
    await informers.synced();
    expect(following.size).toBe(0);
    await createQuota({ pods: '1' });
    await until('it follows', () => following.size === 1);
    await quotas().delete('q');
    await until('it stops', () => following.size === 0);
    await loop.stop();
    await informers.stop();
  });
});

function none(): undefined {
  return undefined;
}

describe('the usage of a ResourceQuota', () => {
  it('is counted when the quota is created and when its limits change', async () => {
    plane = await startPlane();
    await plane.client.api(Pod, 'default').create(pod('a', { cpu: '500m', memory: '1Gi' }));
    await plane.client.api(Pod, 'default').create(pod('b', { cpu: '1', memory: '512Mi' }));
    await createQuota({ pods: '10', 'requests.cpu': '4', 'requests.memory': '4Gi', secrets: '5' });
    const { status } = await uses({ pods: '2', 'requests.cpu': '1500m', 'requests.memory': '1536Mi', secrets: '0' });
    expect(status?.hard).toEqual({ pods: '10', 'requests.cpu': '4', 'requests.memory': '4Gi', secrets: '5' });
    await quotas().patch('q', { type: 'merge', body: { spec: { hard: { pods: '3', 'requests.cpu': null } } } });
    const changed = await uses({ pods: '2', 'requests.memory': '1536Mi', secrets: '0' });
    expect(changed.status?.hard).toEqual({ pods: '3', 'requests.memory': '4Gi', secrets: '5' });
    expect(plane.problems).toEqual([]);
  });

  it('drops when an object is deleted, when a pod finishes and when an update uses less', async () => {
    plane = await startPlane();
    const [pods, services] = [plane.client.api(Pod, 'default'), plane.client.api(Service, 'default')];
    await createQuota({ pods: '2', 'count/pods': '9', 'services.nodeports': '5', configmaps: '9' });
    await uses({ pods: '0', 'count/pods': '0', 'services.nodeports': '0', configmaps: '1' });
    for (const name of ['a', 'b']) await pods.create(pod(name));
    await services.create({ metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    await plane.client.api(ConfigMap, 'default').create({ metadata: { name: 'm' } });
    await uses({ pods: '2', 'count/pods': '2', 'services.nodeports': '1', configmaps: '2' });
    await expect(pods.create(pod('c'))).rejects.toThrow('exceeded quota: q, requested: pods=1, used: pods=2');
    await finish('a');
    await uses({ pods: '1', 'count/pods': '2', 'services.nodeports': '1', configmaps: '2' });
    await pods.delete('b', { gracePeriodSeconds: 0 });
    await uses({ pods: '0', 'count/pods': '1', 'services.nodeports': '1', configmaps: '2' });
    await services.patch('s', { type: 'merge', body: { spec: { type: 'ClusterIP', ports: [{ port: 80 }] } } });
    await uses({ pods: '0', 'count/pods': '1', 'services.nodeports': '0', configmaps: '2' });
    await plane.client.api(ConfigMap, 'default').delete('m');
    await uses({ pods: '0', 'count/pods': '1', 'services.nodeports': '0', configmaps: '1' });
    await pods.create(pod('c'));
    expect(plane.problems).toEqual([]);
  });

  it('counts only objects in the scopes of the quota', async () => {
    plane = await startPlane();
    const pods = plane.client.api(Pod, 'default');
    await pods.create(pod('best-effort'));
    await pods.create(pod('burstable', { cpu: '1' }));
    await pods.create(pod('bounded', { cpu: '2' }, { activeDeadlineSeconds: 60 }));
    await createQuota({ pods: '9', 'requests.cpu': '9' }, { scopes: ['NotBestEffort', 'NotTerminating'] });
    await uses({ pods: '1', 'requests.cpu': '1' });
    await pods.patch('burstable', { type: 'merge', body: { spec: { activeDeadlineSeconds: 60 } } });
    await uses({ pods: '0', 'requests.cpu': '0' });
  });

  it('counts claims by storage class', async () => {
    plane = await startPlane();
    const storage = 'gold.storageclass.storage.k8s.io/requests.storage';
    const claim = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '3Gi' } } };
    const claims = plane.client.api(PersistentVolumeClaim, 'default');
    await claims.create({ metadata: { name: 'a' }, spec: { ...claim, storageClassName: 'gold' } });
    await claims.create({ metadata: { name: 'b' }, spec: { ...claim, storageClassName: 'tin' } });
    await createQuota({ 'requests.storage': '9Gi', [storage]: '9Gi' });
    await uses({ 'requests.storage': '6Gi', [storage]: '3Gi' });
    await claims.delete('a');
    await uses({ 'requests.storage': '3Gi', [storage]: '0' });
  });

  it('counts custom resources, also if their definition comes later', async () => {
    plane = await startPlane();
    await createQuota({ 'count/widgets.example.com': '9', pods: '1' });
    await uses({ pods: '0' });
    await defineWidgets(plane.client);
    await plane.clock.advance(100);
    await uses({ 'count/widgets.example.com': '0', pods: '0' });
    const widgets = plane.client.api(WIDGET, 'default');
    await widgets.create({ metadata: { name: 'w' } });
    await uses({ 'count/widgets.example.com': '1', pods: '0' });
    // The clock was advanced while the quota was counted, so the next count has to wait.
    await plane.clock.advance(1_000);
    await widgets.delete('w');
    await uses({ 'count/widgets.example.com': '0', pods: '0' });
    expect(plane.problems).toEqual([]);
  });

  it('is counted again at every resync, and not with a period of 0', async () => {
    for (const [period, used] of [
      [60_000, '0'],
      [0, '7'],
    ] as const) {
      plane = await startPlane({ resourceQuotaSyncMs: period });
      await createQuota({ pods: '9' });
      const quota = await uses({ pods: '0' });
      await quotas().updateStatus({ ...quota, status: { hard: { pods: '9' }, used: { pods: '7' } } });
      await plane.clock.advance(59_000);
      await uses({ pods: '7' });
      await plane.clock.advance(2_000);
      await uses({ pods: used });
      if (period > 0) await plane.plane.stop();
    }
  });

  it('includes a create that admission had counted before the objects were counted', async () => {
    const held = holdCreate('late');
    plane = await startPlane({}, held.storage);
    const maps = plane.client.api(ConfigMap, 'default');
    await maps.create({ metadata: { name: 'old' } });
    await createQuota({ 'count/configmaps': '9' });
    await uses({ 'count/configmaps': '2' });
    const creating = maps.create({ metadata: { name: 'late' } });
    await held.entered;
    await uses({ 'count/configmaps': '3' });
    await maps.delete('old');
    await uses({ 'count/configmaps': '1' });
    held.release();
    await creating;
    await uses({ 'count/configmaps': '2' });
    expect(plane.problems).toEqual([]);
  });
});
