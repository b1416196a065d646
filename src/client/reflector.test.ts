import { describe, expect, it } from 'vitest';
import type { Delivery } from '../apimachinery/watch/list-watch-state.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import type { Stored } from './object-types.ts';
import { Reflector } from './reflector.ts';
import { connectionReset, EXPIRED, garbage, SimulatedSource, type Thing } from './simulated-source.fixtures.ts';

interface Setup {
  readonly source: SimulatedSource;
  readonly clock: VirtualClock;
  readonly reflector: Reflector<Stored<Thing>>;
  readonly deliveries: string[];
  readonly failures: string[];
  readonly log: { batches: number };
}

function describeObject({ metadata }: Stored<Thing>): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}

function setup(deliver?: (delivery: Delivery<Stored<Thing>>) => void): Setup {
  const source = new SimulatedSource();
  const clock = new VirtualClock();
  const deliveries: string[] = [];
  const failures: string[] = [];
  const log = { batches: 0 };
  const reflector = new Reflector<Stored<Thing>>({
    source,
    clock,
    random: () => 0,
    deliver:
      deliver ??
      ((delivery) => {
        if ('events' in delivery)
          for (const { type, object } of delivery.events) {
            const name = `${type === 'DELETED' ? 'delete' : 'apply'} ${describeObject(object)}`;
            deliveries.push(delivery.type === 'changes' ? name : `init-${name}`);
          }
        else if ('object' in delivery) deliveries.push(`${delivery.type} ${describeObject(delivery.object)}`);
        else if ('resourceVersion' in delivery) deliveries.push(`${delivery.type} ${delivery.resourceVersion}`);
        else deliveries.push(delivery.type);
      }),
    onBatch: () => {
      log.batches++;
    },
    onFailure: (error) => failures.push(error.message),
  });
  return { source, clock, reflector, deliveries, failures, log };
}

describe('a reflector', () => {
  it('delivers the initial events of a streaming list, then changes, in batches', async () => {
    const { source, reflector, deliveries, log } = setup();
    source.write('a');
    reflector.start();
    await settle();
    source.write('b');
    source.write('a', 1);
    source.delete('b');
    source.send();
    source.sendBookmarks();
    expect(deliveries).toEqual([
      'init',
      'init-apply a@101',
      'init-done 101',
      'apply b@102',
      'apply a@103',
      'delete b@104',
      'bookmark 104',
    ]);
    expect(log.batches).toBe(3);
  });

  it('lists pages if the server does not stream', async () => {
    const { source, reflector, deliveries, failures } = setup();
    source.streams = false;
    for (const name of ['a', 'b']) source.write(name);
    reflector.start();
    await settle();
    expect(source.requests).toEqual(['watch rv= initial', 'list rv=0 limit=500 continue=', 'watch rv=102']);
    expect(deliveries.at(-1)).toBe('init-done 102');
    expect(failures).toHaveLength(1);
    expect(reflector.lastFailure).toBeUndefined();
  });

  it('reports each failure, waits with backoff, and goes on', async () => {
    const { source, clock, reflector, deliveries, failures } = setup();
    source.failures.push(connectionReset(), connectionReset(), connectionReset());
    reflector.start();
    await settle();
    expect(reflector.lastFailure?.message).toBe('connection reset');
    await clock.advance(799);
    expect(source.requests).toHaveLength(1);
    await clock.advance(1);
    expect(source.requests).toHaveLength(2);
    await clock.advance(1600 + 3200);
    expect(deliveries.at(-1)).toBe('init-done 100');
    expect(failures).toEqual(['connection reset', 'connection reset', 'connection reset']);
    expect(reflector.lastFailure).toBeUndefined();
  });

  it('resumes a watch that was cut after the newest revision', async () => {
    const { source, clock, reflector, failures } = setup();
    reflector.start();
    await settle();
    source.write('a');
    source.send();
    source.end(connectionReset());
    await clock.advance(2000);
    expect(source.requests.at(-1)).toBe('watch rv=101');
    expect(failures).toEqual(['connection reset']);
    expect(reflector.lastFailure).toBeUndefined();
  });

  it('lists again after an event that cannot be read: the same watch would meet it again', async () => {
    const { source, clock, reflector, deliveries } = setup();
    reflector.start();
    await settle();
    source.write('a');
    source.end(garbage());
    await settle();
    expect(reflector.lastFailure?.message).toBe('a watch event cannot be read');
    await clock.advance(800);
    expect(source.requests.at(-1)).toBe('watch rv=100 initial');
    expect(deliveries.slice(-3)).toEqual(['init', 'init-apply a@101', 'init-done 101']);
  });

  it('lists again after an expired watch', async () => {
    const { source, clock, reflector, deliveries } = setup();
    reflector.start();
    await settle();
    source.write('a');
    source.sendError(EXPIRED);
    await clock.advance(800);
    expect(deliveries.at(-1)).toBe('init-done 101');
    expect(source.openWatches).toBe(1);
  });

  it('ends a watch that is silent beyond its timeout, even if the source ignores that', async () => {
    const { source, clock, reflector, failures } = setup();
    reflector.start();
    await settle();
    await clock.advance(200_000);
    source.sendBookmarks();
    source.die();
    source.write('a');
    // 300 s is the shortest timeout, 30 s the margin, counted from the bookmark.
    await clock.advance(329_999);
    expect(failures).toEqual([]);
    await clock.advance(1);
    expect(failures).toEqual(['the server has sent nothing for 330 s']);
    await clock.advance(800);
    expect(source.requests.at(-1)).toBe('watch rv=100');
  });

  it('ends a list that is silent for 90 s', async () => {
    const { source, clock, reflector, failures, deliveries } = setup();
    source.streams = false;
    const list = source.list.bind(source);
    source.list = () => new Promise(() => undefined);
    reflector.start();
    await clock.advance(90_000);
    expect(failures.at(-1)).toBe('the server has sent nothing for 90 s');
    source.list = list;
    await clock.advance(1600);
    expect(deliveries.at(-1)).toBe('init-done 100');
  });

  it('reports a delivery that throws, and goes on', async () => {
    let calls = 0;
    const { source, reflector, failures } = setup(() => {
      calls++;
      throw new TypeError('broken');
    });
    reflector.start();
    await settle();
    source.write('a');
    source.send();
    expect(calls).toBe(3);
    expect(failures).toEqual(['broken', 'broken', 'broken']);
    expect(source.openWatches).toBe(1);
  });

  it('leaves no request and no timer behind when it stops', async () => {
    const { source, clock, reflector, deliveries } = setup();
    reflector.start();
    await settle();
    reflector.stop();
    reflector.start();
    await settle();
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(deliveries).toEqual(['init', 'init-done 100']);
  });

  it('leaves no timer behind when it stops in a pause', async () => {
    const { source, clock, reflector } = setup();
    source.failures.push(connectionReset());
    reflector.start();
    await settle();
    expect(clock.pendingTimers).toBe(1);
    reflector.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
