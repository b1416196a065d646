import { describe, expect, it } from 'vitest';
import { after as afterSpan, createManager, operator, terminal } from '../../src/controller/index.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { Foo, until } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

describe('the pages of a manager', () => {
  it('show the last reconciles of each key with their reasons, and metrics', async () => {
    const { plane, log, namespace, newFoo, foos } = tools();
    const manager = createManager({ client: plane.client, clock: plane.clock, logger: log, cache: { namespace } });
    operator('journal')
      .for(Foo, { when: 'generation' })
      .reconcile(({ object }) => (object.spec.replicas === 2 ? terminal('two is too many') : afterSpan('1m')))
      .register(manager);
    const stop = new AbortController();
    const ended = manager.run({ signal: stop.signal });
    await newFoo('a', { replicas: 1 });
    await until(() => log.of('reconciled').length === 1);
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => log.of('reconcile failed for good').length === 1);
    await newFoo('b');
    await until(() => log.of('reconciled').length === 2);
    const get = async (target: string) => manager.pages({ method: 'GET', target });
    const page = await get(`/debug/reconciles?operator=journal&key=${encodeURIComponent(`${namespace}/a`)}`);
    expect(page.contentType).toBe('application/json');
    const { keys } = JSON.parse(page.body) as { keys: { last: { at: string; ms: number }[] }[] };
    expect(keys).toMatchObject([
      {
        operator: 'journal',
        key: `${namespace}/a`,
        reconciles: 2,
        last: [
          { result: 'after 1m0s', why: [`Foo ${namespace}/a added`], generation: 1 },
          { result: 'terminal', why: [`Foo ${namespace}/a updated`], generation: 2, error: 'two is too many' },
        ],
      },
    ]);
    expect(JSON.parse((await get('/debug/reconciles?operator=other')).body)).toEqual({ keys: [] });
    expect(
      (JSON.parse((await get('/debug/reconciles')).body) as { keys: { key: string }[] }).keys.map(({ key }) => key),
    ).toEqual([`${namespace}/b`, `${namespace}/a`]);
    const { body } = await get('/metrics');
    expect(body).toContain('controller_runtime_reconcile_total{controller="journal",result="requeue_after"} 2\n');
    expect(body).toContain('controller_runtime_reconcile_total{controller="journal",result="error"} 1\n');
    expect(body).toContain('workqueue_adds_total{name="journal"} 3\n');
    expect((await get('/nothing')).status).toBe(404);
    expect((await manager.pages({ method: 'POST', target: '/healthz' })).status).toBe(405);
    manager.addHealthCheck('mine', () => 'out of coffee');
    manager.addHealthCheck('throws', () => {
      throw new RangeError('check broke');
    });
    expect(await get('/healthz')).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]mine failed: out of coffee\n[-]throws failed: check broke\nhealthz check failed\n',
    });
    stop.abort();
    await ended;
  });
});

describe('the hot-loop detector', () => {
  it('warns once, with the field that keeps changing', async () => {
    const { run, newFoo, log, namespace } = tools();
    let count = 0;
    run(
      operator('hot', { hotLoop: { reconciles: 10, windowMs: 60_000 } })
        .for(Foo)
        .reconcile(({ status }) => {
          if (count < 25) status({ note: `run ${count++}` });
        }),
    );
    await newFoo('a');
    await until(() => count === 25);
    const warnings = log.of(/^hot loop/);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.fields).toMatchObject({
      operator: 'hot',
      key: `${namespace}/a`,
      reconciles: 10,
      window: '1m0s',
      why: 'own status',
      changes: 'Foo status.note: "run 7" → "run 8"',
    });
  });

  it('does not show values of other fields, and says nothing about changes of the spec', async () => {
    const { run, newFoo, foos, configMaps, log } = tools();
    let count = 0;
    run(
      operator('calm', { hotLoop: { reconciles: 5, windowMs: 60_000 } })
        .for(Foo, { when: 'generation' })
        .watches(ConfigMap, ({ metadata }) => (metadata.name === 'secretive' ? ['a'] : []))
        .reconcile(() => void count++),
    );
    await newFoo('a');
    for (let replicas = 0; replicas < 10; replicas++) {
      await foos.patch('a', { type: 'merge', body: { spec: { replicas } } });
      await until(() => count >= replicas + 1);
    }
    expect(log.of(/^hot loop/)).toHaveLength(0);
    await configMaps.create({ metadata: { name: 'secretive' } });
    for (let i = 0; i < 10; i++) {
      const before = count;
      await configMaps.patch('secretive', { type: 'merge', body: { data: { password: `p${i}` } } });
      await until(() => count > before);
    }
    expect(log.of(/^hot loop/).map(({ fields }) => fields['changes'])).toEqual(['ConfigMap data.password changed']);
  });
});
