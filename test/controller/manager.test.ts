import { describe, expect, it } from 'vitest';
import { Deferred } from '../../src/base/deferred.ts';
import { createManager, done, operator, type Runnable } from '../../src/controller/index.ts';
import { Lease } from '../../src/kinds/api/coordination/v1.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { Foo, until } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

const managerOf = (more: Partial<Parameters<typeof createManager>[0]> = {}) => {
  const { plane, log, namespace } = tools();
  return createManager({
    client: plane.client,
    clock: plane.clock,
    logger: log,
    cache: { namespace },
    random: () => 0,
    ...more,
  });
};

const part = (name: string, events: string[], needsLeader: boolean): Runnable => ({
  name,
  needsLeader,
  run: async ({ signal }) => {
    events.push(`${name} runs`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    events.push(`${name} ends`);
  },
});

describe('a manager', () => {
  it('starts servers, caches, parts and leader parts in this order, and stops them in reverse', async () => {
    const events: string[] = [];
    const manager = managerOf();
    manager.add(part('leader', events, true));
    manager.add(part('other', events, false));
    manager.addServer('webhooks', async () => {
      events.push('webhooks start');
      const stop = async () => void events.push('webhooks stop');
      return { stop, [Symbol.asyncDispose]: stop };
    });
    operator('one')
      .for(Foo)
      .reconcile(() => done)
      .register(manager);
    expect(await manager.pages({ method: 'GET', target: '/readyz' })).toMatchObject({ status: 500 });
    const stop = new AbortController();
    const ended = manager.run({ signal: stop.signal });
    await until(() => events.includes('leader runs'));
    expect(await manager.pages({ method: 'GET', target: '/readyz?verbose' })).toMatchObject({
      status: 200,
      body: '[+]caches ok\nreadyz check passed\n',
    });
    stop.abort();
    await ended;
    expect(events).toEqual([
      'webhooks start',
      'other runs',
      'leader runs',
      'other ends',
      'leader ends',
      'webhooks stop',
    ]);
    expect(() => manager.add(part('late', events, true))).toThrow('the manager is running already');
  });

  it('runs several operators on one cache, and refuses two of one name', async () => {
    const { newFoo, configMaps } = tools();
    const manager = managerOf();
    const seen: string[] = [];
    operator('foos')
      .for(Foo)
      .reconcile(({ object }) => void seen.push(`foos ${object.metadata.name}`))
      .register(manager);
    operator('maps')
      .for(ConfigMap, { when: ({ object }) => object.metadata.name === 'm' })
      .watches(Foo, () => [])
      .reconcile(({ object }) => void seen.push(`maps ${object.metadata.name}`))
      .register(manager);
    expect(() =>
      operator('maps')
        .for(Foo)
        .reconcile(() => done)
        .register(manager),
    ).toThrow('an operator maps already');
    const stop = new AbortController();
    const ended = manager.run({ signal: stop.signal });
    await newFoo('a');
    await configMaps.create({ metadata: { name: 'm' } });
    await until(() => seen.length === 2);
    expect(seen.sort()).toEqual(['foos a', 'maps m']);
    stop.abort();
    await ended;
  });

  it('stops everything if a part fails, and rejects with its error', async () => {
    const events: string[] = [];
    const manager = managerOf();
    manager.add(part('other', events, false));
    manager.add({ name: 'broken', run: () => Promise.reject(new RangeError('broken part')) });
    await expect(manager.run({ signal: new AbortController().signal })).rejects.toThrow('broken part');
    expect(events).toEqual(['other runs', 'other ends']);
  });

  it('says that it needs a connection', () => {
    expect(() => createManager({})).toThrow('a manager needs a transport or a client');
  });

  it('lets reconciles finish at a stop, but not for longer than the grace period', async () => {
    const { plane, newFoo, configMaps, log } = tools();
    const go = new Deferred<void>();
    const never = new Deferred<void>();
    const events: string[] = [];
    const manager = managerOf({ stopGrace: '20s' });
    operator('slow')
      .for(Foo)
      .reconcile(async ({ object, signal, apply }) => {
        signal.addEventListener('abort', () => events.push(`${object.metadata.name} aborts`));
        await (object.metadata.name === 'good' ? go : never).promise;
        await apply(ConfigMap, { metadata: { name: object.metadata.name } });
        events.push(`${object.metadata.name} has written`);
      })
      .register(manager);
    const stop = new AbortController();
    let ended = false;
    const run = manager.run({ signal: stop.signal }).then(() => {
      ended = true;
    });
    await newFoo('good');
    await newFoo('bad');
    await until(async () =>
      (await manager.pages({ method: 'GET', target: '/metrics' })).body.includes('active_workers{controller="slow"} 2'),
    );
    stop.abort();
    await until(() => events.length === 2);
    go.resolve();
    await until(() => events.includes('good has written'));
    expect(await configMaps.find('good')).toBeDefined();
    await plane.clock.advance(19_999);
    expect(ended).toBe(false);
    await plane.clock.advance(1);
    expect(log.of('parts of the manager did not end within the grace period')[0]?.fields).toMatchObject({
      parts: 'slow',
    });
    await plane.clock.advance(10_000);
    await run;
    never.resolve();
    await until(async () => true);
    expect(await configMaps.find('bad')).toBeUndefined();
  });

  it('sends many requests at a time without a warning about listeners', async () => {
    const { newFoo, run, configMaps } = tools();
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    let reconciled = false;
    run(
      operator('many')
        .for(Foo)
        .owns(ConfigMap)
        .reconcile(async ({ apply, cache }) => {
          const names = Array.from({ length: 30 }, (_, i) => `map-${i}`);
          await Promise.all(names.map((name) => apply(ConfigMap, { metadata: { name } })));
          const read = await Promise.all(names.map((name) => cache.get(ConfigMap, name)));
          reconciled = read.every((map) => map !== undefined);
        }),
    );
    await newFoo('a');
    await until(() => reconciled);
    expect(await configMaps.list().toArray()).toHaveLength(30);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('reports caches that cannot sync', async () => {
    const missing: Kind<Foo> = { ...Foo, plural: 'missing', kind: 'Missing' };
    const manager = managerOf();
    operator('x')
      .for(missing)
      .reconcile(() => done)
      .register(manager);
    const stop = new AbortController();
    const ended = manager.run({ signal: stop.signal });
    const { log } = tools();
    await until(() => log.of('the cache of Missing reports a failure').length > 0);
    const { status, body } = await manager.pages({ method: 'GET', target: '/readyz' });
    expect(status).toBe(500);
    expect(body).toMatch(/^\[-\]caches failed: Missing has not synced \(.*\)\nreadyz check failed\n$/);
    expect((await manager.pages({ method: 'GET', target: '/healthz' })).status).toBe(200);
    stop.abort();
    await ended;
  });
});

describe('leader election', () => {
  it('runs reconciles in one of two managers, and hands over at a stop', async () => {
    const { newFoo, foos, namespace, plane } = tools();
    const seen: string[] = [];
    const candidates = ['a', 'b'].map((identity) => {
      const manager = managerOf({ leaderElection: { namespace, name: 'lock', identity } });
      operator('elected')
        .for(Foo, { when: 'generation' })
        .reconcile(() => void seen.push(identity))
        .register(manager);
      const stop = new AbortController();
      return { identity, stop, ended: manager.run({ signal: stop.signal }) };
    });
    await newFoo('x');
    await until(() => seen.length === 1);
    const holder = (await plane.client.api(Lease, namespace).get('lock')).spec?.holderIdentity;
    expect(seen).toEqual([holder]);
    const [leader, other] = candidates[0]?.identity === holder ? candidates : [candidates[1], candidates[0]];
    leader?.stop.abort();
    await leader?.ended;
    await plane.clock.advance(5_000);
    await until(() => seen.length === 2);
    await foos.patch('x', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => seen.length === 3);
    expect(seen.slice(1)).toEqual([other?.identity, other?.identity]);
    other?.stop.abort();
    await other?.ended;
  });

  it('aborts reconciles and their requests when the lease is lost, and goes on in the next term', async () => {
    const { newFoo, namespace, plane, configMaps, log } = tools();
    const leases = plane.client.api(Lease, namespace);
    const go = new Deferred<void>();
    const events: string[] = [];
    const manager = managerOf({ leaderElection: { namespace, name: 'lock', identity: 'me' } });
    operator('fenced')
      .for(Foo)
      .reconcile(async ({ signal, apply }) => {
        if (events.length > 0) return void events.push('reconciled in the next term');
        events.push('started');
        signal.addEventListener('abort', () => events.push('aborted'));
        await go.promise;
        await apply(ConfigMap, { metadata: { name: 'fenced' } }).catch((error: Error) => events.push(error.message));
      })
      .register(manager);
    const stop = new AbortController();
    const ended = manager.run({ signal: stop.signal });
    await newFoo('x');
    await until(() => events.length === 1);
    await leases.patch('lock', { type: 'merge', body: { spec: { holderIdentity: 'thief', leaseDurationSeconds: 1 } } });
    await plane.clock.advance(2_000);
    await until(() => events.includes('aborted'));
    go.resolve();
    await until(() => events.length === 3);
    expect(events[2]).toMatch(/the Lease .*\/lock is lost: it is held by thief/);
    expect(await configMaps.find('fenced')).toBeUndefined();
    await plane.clock.advance(20_000);
    await until(() => events.includes('reconciled in the next term'));
    expect(log.of('lost the Lease')).toHaveLength(1);
    stop.abort();
    await ended;
    expect((await leases.get('lock')).spec?.holderIdentity ?? '').toBe('');
  });
});
