/** The garbage collector in a control plane: owners, policies, cycles, custom resources, kinds that come and go. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Event, Namespace } from '../../src/kinds/api/core/v1.ts';
import { Family, type Plane, startPlane, until } from './plane.fixtures.ts';
import { defineWidgets, WIDGET } from './widgets.fixtures.ts';

let plane: Plane;
let family: Family;

beforeEach(async () => {
  plane = await startPlane();
  family = new Family(plane);
});

afterEach(async () => {
  await plane.plane.stop();
});

describe('background deletion', () => {
  it('deletes dependents at every depth', async () => {
    await family.create('a');
    await family.create('b', ['a']);
    await family.create('c', ['b']);
    await family.create('other');
    await family.delete('a');
    await family.survivors('other');
    expect(plane.problems).toEqual([]);
  });

  it('deletes a dependent whose owner never existed', async () => {
    await family.create('a', ['ghost:7f1d0d6e-0000-4000-8000-000000000000']);
    await family.survivors();
  });

  it('deletes a dependent whose owner was replaced by another object of that name', async () => {
    await family.create('a');
    await family.create('b', ['a:7f1d0d6e-0000-4000-8000-000000000000']);
    await family.survivors('a');
  });

  it('keeps a dependent with another owner, and removes the dangling reference', async () => {
    await family.create('a');
    await family.create('b');
    await family.create('c', ['a', 'b']);
    await family.delete('a');
    await until('the reference is gone', async () => (await family.owners('c')).join() === 'b');
    await family.delete('b');
    await family.survivors();
  });

  it('deletes many dependents', async () => {
    await family.create('a');
    await Promise.all(Array.from({ length: 300 }, (_, i) => family.create(`b${i}`, ['a'])));
    await family.delete('a');
    await family.survivors();
    expect(plane.problems).toEqual([]);
  });

  it('waits for a finalizer of a dependent, then goes on', async () => {
    await family.create('a');
    await family.create('b', ['a'], { finalizers: ['example.com/hold'] });
    await family.create('c', ['b']);
    await family.delete('a');
    await family.survivors('b', 'c');
    await family.api.patch('b', { type: 'merge', body: { metadata: { finalizers: null } } });
    await family.survivors();
  });
});

describe('foreground deletion', () => {
  it('removes blocking dependents before the owner', async () => {
    await family.create('a');
    await family.create('b', ['a'], { block: true, finalizers: ['example.com/hold'] });
    await family.delete('a', 'Foreground');
    await until('b is being deleted', async () => (await family.api.get('b')).metadata.deletionTimestamp !== undefined);
    expect(await family.names()).toEqual(['a', 'b']);
    await family.api.patch('b', { type: 'merge', body: { metadata: { finalizers: null } } });
    await family.survivors();
  });

  it('does not wait for dependents that do not block', async () => {
    await family.create('a');
    await family.create('b', ['a'], { finalizers: ['example.com/hold'] });
    await family.delete('a', 'Foreground');
    await family.survivors('b');
  });

  it('ends in a cycle', async () => {
    await family.create('a');
    await family.create('b', ['a'], { block: true });
    await family.create('c', ['b'], { block: true });
    const uid = await family.uid('c');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid, blockOwnerDeletion: true };
    await family.api.patch('a', { type: 'merge', body: { metadata: { ownerReferences: [owner] } } });
    await family.delete('a', 'Foreground');
    await family.survivors();
  });
});

describe('orphaning', () => {
  it('removes the references and keeps the dependents', async () => {
    await family.create('a');
    await family.create('b', ['a']);
    await family.create('c', ['a', 'b']);
    await family.delete('a', 'Orphan');
    await family.survivors('b', 'c');
    expect([await family.owners('b'), await family.owners('c')]).toEqual([[], ['b']]);
  });
});

describe('owners in other places', () => {
  it('deletes a dependent whose owner is in another namespace, and reports it', async () => {
    await plane.client.api(Namespace).create({ metadata: { name: 'other' } });
    await family.create('a');
    await family.create('b', ['a']);
    await until('a is known', async () => (await family.owners('b')).length === 1);
    const there = new Family(plane, 'other');
    await there.create('b', [`a:${await family.uid('a')}`]);
    await there.survivors();
    await family.survivors('a', 'b');
    const events = plane.client.api(Event, 'other');
    await until('the Event is there', async () => (await events.list().toArray()).length > 0);
    expect(await events.list().toArray()).toEqual([
      expect.objectContaining({
        reason: 'OwnerRefInvalidNamespace',
        type: 'Warning',
        message: expect.stringMatching(
          /^ownerRef \[v1\/ConfigMap, namespace: other, name: a, uid: [0-9a-f-]+\] does not exist in namespace "other"$/,
        ),
      }),
    ]);
  });

  it('deletes namespaced dependents of a cluster-scoped owner', async () => {
    const owner = await plane.client.api(Namespace).create({ metadata: { name: 'owner' } });
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name, uid }];
    await family.api.create({ metadata: { name: 'b', namespace: 'default', ownerReferences } });
    await family.survivors('b');
    await plane.client.api(Namespace).delete(name);
    await plane.client
      .api(Namespace)
      .subresource(name, 'finalize')
      .update({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
        spec: { finalizers: [] },
      });
    await family.survivors();
  });
});

describe('custom resources', () => {
  it('are owners and dependents as soon as they are defined', async () => {
    await defineWidgets(plane.client);
    const widgets = plane.client.api(WIDGET, 'default');
    const { uid } = (await widgets.create({ metadata: { name: 'w' } })).metadata;
    const byWidget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid };
    await family.api.create({ metadata: { name: 'c', namespace: 'default', ownerReferences: [byWidget] } });
    const byMap = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: await family.uid('c') };
    await family.create('d');
    const another = { apiVersion: 'v1', kind: 'ConfigMap', name: 'd', uid: await family.uid('d') };
    await widgets.create({ metadata: { name: 'x', ownerReferences: [byMap] } });
    await widgets.create({ metadata: { name: 'y', ownerReferences: [byMap, another] } });
    await widgets.delete('w');
    await family.survivors('d');
    await until('x is gone', async () => (await widgets.find('x')) === undefined);
    await until('y has one owner', async () => (await widgets.get('y')).metadata.ownerReferences?.length === 1);
    expect(plane.problems).toEqual([]);
  });

  it('are looked up once they are defined', async () => {
    const uid = '7f1d0d6e-0000-4000-8000-000000000000';
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid }];
    await family.api.create({ metadata: { name: 'c', namespace: 'default', ownerReferences } });
    await family.survivors('c');
    await defineWidgets(plane.client);
    await plane.clock.advance(100);
    await family.survivors();
  });
});

it('does not run if it is turned off', async () => {
  const quiet = await startPlane({ controllers: ['*', '-garbage-collector-controller'] });
  const there = new Family(quiet);
  await there.create('a');
  await there.create('b', ['a']);
  await there.delete('a');
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await there.names()).toEqual(['b']);
  await quiet.plane.stop();
});
