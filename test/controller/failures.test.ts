import { describe, expect, it } from 'vitest';
import { Deferred } from '../../src/base/deferred.ts';
import { after as afterSpan, done, failed, operator, type Result, terminal } from '../../src/controller/index.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { Foo, until } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

describe('a reconcile function that fails', () => {
  it('is reported and called again with backoff, whatever it throws or returns', async () => {
    const { run, newFoo, plane, log, namespace } = tools();
    const steps: (() => unknown)[] = [
      () => {
        throw new TypeError('it threw');
      },
      () => Promise.reject('a text'),
      () => ({ requeue: true }),
      () => failed('as a result'),
      () => done,
    ];
    const times: number[] = [];
    run(
      operator('failing', { backoff: { initialMs: 100, capMs: 1000 } })
        .for(Foo)
        .reconcile(() => {
          times.push(plane.clock.monotonic());
          return steps[times.length - 1]?.() as Result;
        }),
    );
    await newFoo('a');
    await until(() => times.length === 1);
    for (const delay of [100, 200, 400, 800]) {
      await until(() => log.of('reconcile failed').length === times.length);
      const called = times.length;
      await plane.clock.advance(delay - 1);
      expect(times).toHaveLength(called);
      await plane.clock.advance(1);
      await until(() => times.length === called + 1, `the call after ${delay} ms`);
    }
    await until(() => log.of('reconciled').length === 1);
    const lines = log.of('reconcile failed');
    expect(lines.map(({ error, fields }) => error?.message ?? fields['error'])).toEqual([
      'it threw',
      'a value that is not an Error was thrown: "a text"',
      'the reconcile function returned {"requeue":true}: return done, after(...), failed(...), terminal(...) or nothing',
      'as a result',
    ]);
    expect(lines.map(({ fields }) => fields['retries'])).toEqual([1, 2, 3, 4]);
    expect(log.of('reconciled')[0]?.fields).toMatchObject({
      operator: 'failing',
      key: `${namespace}/a`,
      why: 'retry 4',
    });
    await plane.clock.advance(600_000);
    expect(times).toHaveLength(5);
  });

  it('for good is not called again before a change', async () => {
    const { run, newFoo, foos, plane, log } = tools();
    let calls = 0;
    run(
      operator('terminal')
        .for(Foo, { when: 'generation' })
        .reconcile(({ status }) => {
          status().condition('Ready', false, 'Nonsense', 'replicas is negative');
          calls++;
          return terminal('replicas is negative');
        }),
    );
    await newFoo('a');
    await until(() => log.of('reconcile failed for good').length === 1);
    await plane.clock.advance(3_600_000);
    expect(calls).toBe(1);
    expect((await foos.get('a')).status?.conditions).toMatchObject([{ reason: 'Nonsense', status: 'False' }]);
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => calls === 2);
  });

  it('leaves the status alone if it throws', async () => {
    const { run, newFoo, foos, log } = tools();
    run(
      operator('throwing')
        .for(Foo, { when: 'generation' })
        .reconcile(({ status }) => {
          status({ note: 'half' });
          throw new RangeError('midway');
        }),
    );
    await newFoo('a');
    await until(() => log.of('reconcile failed').length >= 1);
    expect((await foos.get('a')).status).toBeUndefined();
  });

  it('does not keep other objects waiting, and runs once at a time for one object', async () => {
    const { run, newFoo, foos } = tools();
    const release = new Deferred<void>();
    const running = new Map<string, number>();
    let most = 0;
    const ended: string[] = [];
    run(
      operator('parallel', { concurrency: 2 })
        .for(Foo)
        .reconcile(async ({ object: { metadata } }) => {
          running.set(metadata.name, (running.get(metadata.name) ?? 0) + 1);
          most = Math.max(most, running.get(metadata.name) ?? 0);
          if (metadata.name === 'slow') await release.promise;
          running.set(metadata.name, (running.get(metadata.name) ?? 0) - 1);
          ended.push(metadata.name);
        }),
    );
    await newFoo('slow');
    await until(() => running.has('slow'));
    for (const replicas of [1, 2, 3]) await foos.patch('slow', { type: 'merge', body: { spec: { replicas } } });
    await newFoo('quick');
    await until(() => ended.includes('quick'));
    expect(ended).not.toContain('slow');
    release.resolve();
    await until(() => ended.filter((name) => name === 'slow').length === 2);
    expect(most).toBe(1);
  });
});

describe('a reconcile function that hangs', () => {
  it('is aborted at its timeout; if it ignores that, it is given up, and cannot write any more', async () => {
    const { run, newFoo, plane, log, configMaps } = tools();
    const late = new Deferred<void>();
    const reasons: string[] = [];
    let calls = 0;
    let lateError: unknown;
    run(
      operator('hanging', { timeout: '1m', backoff: { initialMs: 50, capMs: 50 } })
        .for(Foo)
        .reconcile(async ({ signal, apply }) => {
          calls++;
          signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message));
          if (calls > 1) return;
          await late.promise;
          await apply(ConfigMap, { metadata: { name: 'late' } }).catch((error) => {
            lateError = error;
          });
        }),
    );
    await newFoo('a');
    await until(() => calls === 1);
    await plane.clock.advance(59_999);
    expect(reasons).toEqual([]);
    await plane.clock.advance(1);
    expect(reasons).toEqual(['the reconcile took longer than 1m0s']);
    expect(log.of('reconcile failed')).toHaveLength(0);
    await plane.clock.advance(10_000);
    await until(() => log.of('reconcile failed').length === 1);
    expect(log.of('reconcile failed')[0]?.fields['error']).toBe(
      'the reconcile took longer than 1m0s; it ignored its signal for 10s and was given up',
    );
    await plane.clock.advance(50);
    await until(() => calls === 2);
    late.resolve();
    await until(() => lateError !== undefined);
    expect((lateError as Error).message).toBe('the reconcile took longer than 1m0s');
    expect(await configMaps.find('late')).toBeUndefined();
  });

  it('and obeys its signal is retried at once', async () => {
    const { run, newFoo, plane, log } = tools();
    let calls = 0;
    run(
      operator('obedient', { timeout: '10s', backoff: { initialMs: 50, capMs: 50 } })
        .for(Foo)
        .reconcile(async ({ signal }) => {
          if (++calls > 1) return;
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        }),
    );
    await newFoo('a');
    await until(() => calls === 1);
    await plane.clock.advance(10_000);
    await until(() => log.of('reconcile failed').length === 1);
    await plane.clock.advance(50);
    await until(() => calls === 2);
  });
});

describe('a mapper or predicate that throws', () => {
  it('is reported, loses no event and stops nothing', async () => {
    const { run, newFoo, configMaps, plane, log, namespace } = tools();
    const whys: string[] = [];
    let broken = true;
    run(
      operator('mapping')
        .for(Foo, {
          when: () => {
            throw new SyntaxError('predicate');
          },
        })
        .watches(ConfigMap, (map) => {
          if (broken) throw new SyntaxError(`mapper of ${map.metadata.name}`);
          return ['a'];
        })
        .watches(ConfigMap, () => 5 as never, { when: ({ object }) => object.metadata.name === 'nonsense' })
        .reconcile(({ why }) => void whys.push(...why)),
    );
    await newFoo('a');
    await until(() => whys.length === 1);
    expect(log.of(`the predicate for Foo ${namespace}/a failed`)[0]?.error?.message).toBe('predicate');
    await configMaps.create({ metadata: { name: 'settings' } });
    await until(() => log.of(`the mapper for ConfigMap ${namespace}/settings failed`).length === 1);
    await plane.clock.advance(100);
    await until(() => log.of(`the mapper for ConfigMap ${namespace}/settings failed`).length === 2);
    broken = false;
    await plane.clock.advance(200);
    await until(() => whys.length >= 2);
    expect(whys).toContain(`ConfigMap ${namespace}/settings added`);
    await configMaps.create({ metadata: { name: 'nonsense' } });
    await until(() => log.of(`the mapper for ConfigMap ${namespace}/nonsense failed`).length === 1);
    const [line] = log.of(`the mapper for ConfigMap ${namespace}/nonsense failed`);
    expect(line?.error?.message).toBe('a mapper must return a list of keys, not number');
  });
});

describe('a requeue', () => {
  it('is replaced by an earlier change, and named by its delay', async () => {
    const { run, newFoo, foos, plane } = tools();
    const whys: string[] = [];
    run(
      operator('requeue')
        .for(Foo)
        .reconcile(({ why }) => {
          whys.push(why.join());
          return afterSpan('1h');
        }),
    );
    await newFoo('a');
    await until(() => whys.length === 1);
    await plane.clock.advance(600_000);
    await foos.patch('a', { type: 'merge', body: { spec: { replicas: 2 } } });
    await until(() => whys.length === 2);
    await plane.clock.advance(3_599_999);
    expect(whys).toHaveLength(2);
    await plane.clock.advance(1);
    await until(() => whys.length === 3);
    expect(whys.map((why) => why.replace(/test-\d+/, 'ns'))).toEqual([
      'Foo ns/a added',
      'Foo ns/a updated',
      'requeue after 1h0m0s',
    ]);
  });
});
