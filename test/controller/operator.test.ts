import { describe, expect, it } from 'vitest';
import { after, done, operator, ownersOf } from '../../src/controller/index.ts';
import { Deployment } from '../../src/kinds/api/apps/v1.ts';
import { ConfigMap, Event } from '../../src/kinds/api/core/v1.ts';
import { ClusterRole } from '../../src/kinds/api/rbac/v1.ts';
import { Foo, until, Zone } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

const deploymentSpec = (foo: { readonly spec: { readonly replicas?: number } }) => ({
  replicas: foo.spec.replicas ?? 1,
  selector: { matchLabels: { app: 'foo' } },
  template: { metadata: { labels: { app: 'foo' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
});

describe('an operator', () => {
  it('applies owned objects with owner, manager and force, and the status once, and keeps transition times', async () => {
    const { run, newFoo, foos, plane, namespace, log } = tools();
    const deployments = plane.client.api(Deployment, namespace);
    const calls: string[] = [];
    run(
      operator('foo')
        .for(Foo, { when: 'generation' })
        .owns(Deployment)
        .reconcile(async ({ object: foo, apply, status, why }) => {
          calls.push(why.join());
          const deployment = await apply(Deployment, {
            metadata: { name: foo.spec.deploymentName ?? foo.metadata.name },
            spec: deploymentSpec(foo),
          });
          const ready = deployment.status?.availableReplicas ?? 0;
          status({ availableReplicas: ready }).condition(
            'Ready',
            ready === foo.spec.replicas,
            'Scaled',
            `${ready} available`,
          );
          return ready ? done : after('30s');
        }),
    );
    await newFoo('a', { replicas: 1 });
    await until(async () => (await foos.get('a')).status?.conditions?.[0]?.status === 'False');
    const first = await foos.get('a');
    const deployment = await deployments.get('a');
    expect(deployment.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'example.com/v1',
        kind: 'Foo',
        name: 'a',
        uid: first.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(deployment.metadata.managedFields).toMatchObject([{ manager: 'foo', operation: 'Apply' }]);
    expect(first.status).toMatchObject({
      availableReplicas: 0,
      conditions: [{ type: 'Ready', status: 'False', reason: 'Scaled', message: '0 available', observedGeneration: 1 }],
    });
    const transition = first.status?.conditions?.[0]?.lastTransitionTime;

    await plane.clock.advance(30_000);
    await until(() => calls.includes('requeue after 30s'));
    expect((await foos.get('a')).status?.conditions?.[0]?.lastTransitionTime).toBe(transition);

    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await deployments.patch('a', { type: 'merge', body: { status } }, { subresource: 'status' });
    await until(async () => (await foos.get('a')).status?.availableReplicas === 1);
    const then = (await foos.get('a')).status?.conditions?.[0];
    expect(then).toMatchObject({ status: 'True', message: '1 available' });
    expect(then?.lastTransitionTime).not.toBe(transition);
    expect(log.of('reconciled').map(({ fields }) => fields['why'])).toContain(`Deployment ${namespace}/a updated`);
  });

  it('reconciles by generation, labels, annotations or a function, and coalesces changes', async () => {
    const { run, newFoo, foos } = tools();
    const seen: string[] = [];
    const named = (name: string, when: Parameters<ReturnType<typeof operator>['for']>[1]) =>
      run(
        operator(name)
          .for(Foo, when as object)
          .reconcile(({ object }) => void seen.push(`${name} ${object.metadata.resourceVersion}`)),
      );
    named('generation', { when: 'generation' });
    named('labels', { when: 'labels' });
    named('annotations', { when: ['annotations', 'generation'] });
    named('custom', { when: (event) => event.type === 'updated' && event.object.metadata.labels?.['go'] === 'yes' });
    const { metadata } = await newFoo('a');
    await until(() => seen.length === 3);
    expect(seen.sort()).toEqual(['annotations', 'generation', 'labels'].map((n) => `${n} ${metadata.resourceVersion}`));
    const change = async (body: object, expected: readonly string[]) => {
      seen.length = 0;
      const { metadata: now } = await foos.patch('a', { type: 'merge', body });
      await until(() => seen.length >= expected.length, expected.join());
      expect(seen.sort()).toEqual(expected.map((name) => `${name} ${now.resourceVersion}`));
    };
    await change({ spec: { replicas: 2 } }, ['annotations', 'generation']);
    await change({ metadata: { labels: { go: 'no' } } }, ['labels']);
    await change({ metadata: { annotations: { a: 'b' } } }, ['annotations']);
    await change({ metadata: { labels: { go: 'yes' } } }, ['custom', 'labels']);
  });

  it('watches other kinds by a mapper, by owners and by references', async () => {
    const { run, newFoo, configMaps, namespace } = tools();
    const whys: string[] = [];
    run(
      operator('mapped')
        .for(Foo, { when: 'generation' })
        .watches(ConfigMap, (map, { objects }) => (map.metadata.name === 'all' ? objects.keys() : ownersOf(map)))
        .watches(ConfigMap, { referencedBy: ({ spec }) => spec.config })
        .reconcile(({ key, why }) => void whys.push(`${key}: ${why.join()}`)),
    );
    const a = await newFoo('a', { config: 'settings' });
    await newFoo('b');
    await until(() => whys.length === 2);
    const owner = { apiVersion: 'example.com/v1', kind: 'Foo', name: 'b', uid: a.metadata.uid };
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: a.metadata.uid };
    for (const [metadata, expected] of [
      [{ name: 'settings' }, ['a']],
      [{ name: 'all' }, ['a', 'b']],
      [{ name: 'owned', ownerReferences: [owner, other] }, ['b']],
    ] as const) {
      whys.length = 0;
      await configMaps.create({ metadata: metadata as object });
      await until(() => whys.length === expected.length, metadata.name);
      expect(whys.sort()).toEqual(
        expected.map((name) => `${namespace}/${name}: ConfigMap ${namespace}/${metadata.name} added`),
      );
    }
    whys.length = 0;
    await configMaps.delete('settings');
    await until(() => whys.length === 1);
    expect(whys).toEqual([`${namespace}/a: ConfigMap ${namespace}/settings deleted`]);
  });

  it('refuses owners across namespaces and scopes, and lets cluster-scoped owners own anything', async () => {
    const { run, newFoo, plane, namespace, configMaps } = tools();
    const errors: string[] = [];
    const note = async (work: Promise<unknown>) =>
      void (await work.catch((error: Error) => errors.push(error.message)));
    run(
      operator('scopes')
        .for(Foo)
        .reconcile(async ({ apply }) => {
          await note(apply(ConfigMap, { metadata: { name: 'x', namespace: 'default' } }));
          await note(apply(ClusterRole, { metadata: { name: `role-${namespace}` } }));
          await apply(ClusterRole, { metadata: { name: `role-${namespace}` } }, { owner: false });
        }),
    );
    run(
      operator('zones')
        .for(Zone)
        .reconcile(async ({ apply }) => {
          await note(apply(ConfigMap, { metadata: { name: 'zoned' } }));
          await apply(ConfigMap, { metadata: { name: 'zoned', namespace } });
        }),
      { cache: {} },
    );
    await newFoo('a');
    await until(() => errors.length === 2);
    expect(errors).toEqual([
      `Foo ${namespace}/a cannot own an object in default: the garbage collector would delete it; pass { owner: false } and remove the object in a finalizer`,
      `Foo ${namespace}/a cannot own a cluster-scoped object: the garbage collector would delete it; pass { owner: false } and remove the object in a finalizer`,
    ]);
    await until(async () => (await plane.client.api(ClusterRole).find(`role-${namespace}`)) !== undefined);
    await plane.client.api(Zone).create({ metadata: { name: namespace }, spec: {} });
    await until(async () => (await configMaps.find('zoned')) !== undefined);
    expect((await configMaps.get('zoned')).metadata.ownerReferences).toMatchObject([{ kind: 'Zone', name: namespace }]);
    expect(errors[2]).toBe('ConfigMap zoned needs metadata.namespace: its owner is cluster-scoped');
    await plane.client.api(Zone).delete(namespace);
  });

  it('creates or patches an object, with the fields that changed only', async () => {
    const { run, newFoo, foos, configMaps } = tools();
    const changes: string[] = [];
    run(
      operator('patcher')
        .for(Foo, { when: 'generation' })
        .reconcile(async ({ object, createOrPatch }) => {
          const { change } = await createOrPatch(ConfigMap, { name: 'made' }, (map) => {
            map.data = { ...map.data, replicas: String(object.spec.replicas) };
          });
          changes.push(change);
        }),
    );
    await newFoo('a', { replicas: 1 });
    await until(() => changes.length === 1);
    await configMaps.patch('made', { type: 'merge', body: { data: { other: 'kept' } } });
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => changes.length === 2);
    await foos.patch('a', { type: 'merge', body: { spec: { config: 'x' } } });
    await until(() => changes.length === 3);
    expect(changes).toEqual(['created', 'patched', 'none']);
    const made = await configMaps.get('made');
    expect(made.data).toEqual({ other: 'kept', replicas: '2' });
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'Foo', name: 'a', controller: true }]);
  });

  it('calls the function for a deleted object only if asked to, and tells when an object is gone', async () => {
    const { run, newFoo, foos, namespace } = tools();
    const events: string[] = [];
    for (const reconcileDeleted of [false, true])
      run(
        operator(`deleted-${reconcileDeleted}`)
          .for(Foo, { reconcileDeleted })
          .gone(({ key }) => void events.push(`${reconcileDeleted} gone ${key}`))
          .reconcile(({ object }) => {
            events.push(`${reconcileDeleted} ${object.metadata.deletionTimestamp === undefined ? 'alive' : 'deleted'}`);
          }),
      );
    await newFoo('a');
    await foos.patch('a', { type: 'merge', body: { metadata: { finalizers: ['example.com/other'] } } });
    await until(() => events.length >= 2);
    await foos.delete('a');
    await until(() => events.includes('true deleted'));
    await foos.patch('a', { type: 'merge', body: { metadata: { finalizers: [] } } });
    await until(() => events.filter((event) => event.includes('gone')).length === 2);
    expect(events).toContain(`false gone ${namespace}/a`);
    expect(events).not.toContain('false deleted');
  });

  it('records events, counts repeated ones, and writes them before it stops', async () => {
    const { run, newFoo, foos, plane, namespace } = tools();
    let calls = 0;
    const { stop, ended } = run(
      operator('eventful')
        .for(Foo, { when: 'generation' })
        .reconcile(({ event }) => {
          calls++;
          event('Scaled', 'as desired');
          if (calls === 3) event('Odd', 'three is odd', { type: 'Warning' });
        }),
    );
    await newFoo('a');
    for (const replicas of [2, 3]) {
      await until(() => calls === replicas - 1);
      await foos.patch('a', { type: 'merge', body: { spec: { replicas } } });
    }
    await until(() => calls === 3);
    stop.abort();
    await ended;
    const events = await plane.client.api(Event, namespace).list().toArray();
    const { uid } = (await foos.get('a')).metadata;
    expect(events.map(({ reason, type, count }) => `${type} ${reason} ${count}`).sort()).toEqual([
      'Normal Scaled 3',
      'Warning Odd 1',
    ]);
    expect(events[0]).toMatchObject({
      source: { component: 'eventful' },
      involvedObject: { kind: 'Foo', apiVersion: 'example.com/v1', name: 'a', namespace, uid },
    });
  });

  it('cannot be defined with a bad name or finalizer', () => {
    expect(() => operator('')).toThrow('1 to 128 characters');
    expect(() =>
      operator('x')
        .for(Foo)
        .finalizer('nonsense', () => done),
    ).toThrow('use the form example.com/name');
    const twice = operator('x')
      .for(Foo)
      .finalizer('a.com/b', () => done);
    expect(() => twice.finalizer('a.com/b', () => done)).toThrow('defined twice');
  });
});
