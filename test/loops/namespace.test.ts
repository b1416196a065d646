/** The namespace loop in a control plane: order, conditions, finalizers, grace periods, custom resources. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMap, Namespace, Pod, Secret } from '../../src/kinds/api/core/v1.ts';
import { holdCreate } from './held-create.fixtures.ts';
import { Family, type Plane, startPlane, until } from './plane.fixtures.ts';
import { defineWidgets, WIDGET } from './widgets.fixtures.ts';

let plane: Plane;

beforeEach(async () => {
  plane = await startPlane();
  await plane.client.api(Namespace).create({ metadata: { name: 'shop' } });
});

afterEach(async () => {
  await plane.plane.stop();
});

async function isGone(): Promise<boolean> {
  return (await plane.client.api(Namespace).find('shop')) === undefined;
}

/** The conditions with the status True. */
async function problems(): Promise<string[]> {
  const { status } = await plane.client.api(Namespace).get('shop');
  return (status?.conditions ?? [])
    .filter((condition) => condition.status === 'True')
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

function pod(name: string, spec: object = {}): Pod {
  return { metadata: { name, namespace: 'shop' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
}

describe('a deleted namespace', () => {
  it('goes away with everything in it, without a warning', async () => {
    const warnings: string[] = [];
    await new Family(plane, 'shop').create('a');
    await plane.client.api(Secret, 'shop').create({ metadata: { name: 's' } });
    await plane.client.api(Pod, 'shop').create(pod('p'));
    await plane.client.transport({ method: 'DELETE', target: '/api/v1/namespaces/shop' }).then(({ headers }) => {
      if (headers['warning'] !== undefined) warnings.push(String(headers['warning']));
    });
    await until('shop is gone', isGone);
    expect(await plane.client.all(ConfigMap).list({ fieldSelector: 'metadata.namespace=shop' }).toArray()).toEqual([]);
    expect(warnings).toEqual([]);
    expect(plane.problems).toEqual([]);
  });

  it('waits for creates that were admitted before the deletion, and deletes what they leave', async () => {
    await plane.plane.stop();
    const held = holdCreate('late');
    plane = await startPlane({}, held.storage);
    await plane.client.api(Namespace).create({ metadata: { name: 'shop' } });
    const creating = new Family(plane, 'shop').create('late');
    await held.entered;
    await plane.client.api(Namespace).delete('shop');
    const { status } = await plane.client.api(Namespace).get('shop');
    expect(status?.phase).toBe('Terminating');
    await until('nothing else is left', async () => {
      const left = await plane.client.api(ConfigMap, 'shop').list().toArray();
      return left.length === 0;
    });
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(await isGone()).toBe(false);
    held.release();
    await creating;
    await until('shop is gone', isGone);
    expect(await plane.client.all(ConfigMap).list({ fieldSelector: 'metadata.name=late' }).toArray()).toEqual([]);
    expect(plane.problems).toEqual([]);
  });

  it('can be created again', async () => {
    for (let round = 0; round < 3; round++) {
      await new Family(plane, 'shop').create('a');
      await plane.client.api(Namespace).delete('shop');
      await until('shop is gone', isGone);
      await plane.client.api(Namespace).create({ metadata: { name: 'shop' } });
      expect(await new Family(plane, 'shop').names()).toEqual([]);
    }
  });

  it('reports finalizers, and goes on when the last of them is removed', async () => {
    const family = new Family(plane, 'shop');
    await family.create('a', [], { finalizers: ['example.com/hold'] });
    await family.create('b', [], { finalizers: ['example.com/hold'] });
    await plane.client.api(Namespace).delete('shop');
    await until('the conditions are there', async () => (await problems()).length > 0);
    expect(await problems()).toEqual([
      'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances',
      'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
    ]);
    const { metadata, status } = await plane.client.api(Namespace).get('shop');
    expect(status?.phase).toBe('Terminating');
    expect(metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
      'kube-controller-manager',
      'status',
    ]);
    await family.api.patch('a', { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await isGone()).toBe(false);
    await family.api.patch('b', { type: 'merge', body: { metadata: { finalizers: null } } });
    await until('shop is gone', isGone);
  });

  it('waits for pods on nodes before it deletes anything else', async () => {
    const family = new Family(plane, 'shop');
    await family.create('a');
    const pods = plane.client.api(Pod, 'shop');
    await pods.create(pod('p', { nodeName: 'n', terminationGracePeriodSeconds: 20 }));
    await plane.client.api(Namespace).delete('shop');
    await until('the pod is being deleted', async () => (await pods.get('p')).metadata.deletionTimestamp !== undefined);
    expect(await family.names()).toEqual(['a']);
    await plane.clock.advance(30_000);
    await until('the failure is reported', async () => (await problems()).length > 0);
    expect(await problems()).toEqual([
      'NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
    ]);
    await pods.delete('p', { gracePeriodSeconds: 0 });
    await until('shop is gone', isGone);
  });

  it('keeps the finalizers of others', async () => {
    const namespaces = plane.client.api(Namespace);
    const shop = await namespaces.get('shop');
    const finalizers = ['kubernetes', 'example.com/other'];
    await namespaces.subresource('shop', 'finalize').update({ ...shop, spec: { finalizers } });
    await namespaces.delete('shop');
    await until('ours is removed', async () => {
      const { spec } = await namespaces.get('shop');
      return spec?.finalizers?.join() === 'example.com/other';
    });
  });

  it('takes custom resources with it', async () => {
    await defineWidgets(plane.client);
    const widgets = plane.client.api(WIDGET, 'shop');
    await widgets.create({ metadata: { name: 'w', finalizers: ['example.com/hold'] } });
    await plane.client.api(Namespace).delete('shop');
    await until('the conditions are there', async () => (await problems()).length > 0);
    expect((await problems())[0]).toContain('widgets.example.com has 1 resource instances');
    await widgets.patch('w', { type: 'merge', body: { metadata: { finalizers: null } } });
    await until('shop is gone', isGone);
  });
});

it('stays, with a warning, if the loop is turned off', async () => {
  const quiet = await startPlane({ controllers: ['-namespace-controller', '*'] });
  await quiet.client.api(Namespace).create({ metadata: { name: 'shop' } });
  const { headers } = await quiet.client.transport({ method: 'DELETE', target: '/api/v1/namespaces/shop' });
  expect(String(headers['warning'])).toContain('the namespace stays Terminating');
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await quiet.client.api(Namespace).get('shop')).status?.phase).toBe('Terminating');
  await quiet.plane.stop();
});
