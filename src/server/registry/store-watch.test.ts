import { describe, expect, it } from 'vitest';
import { settle } from '../../base/virtual-clock.ts';
import {
  at,
  deletion,
  Events,
  encoding,
  made,
  query,
  refused,
  type Things,
  thing,
  things,
  UPDATE,
  v2,
  watching,
} from './thing.fixtures.ts';

/** Things a and b in `ns`, at revisions 2 and 3. */
async function two(): Promise<Things> {
  const world = await things();
  await made(world.store, thing('a', { spec: { color: 'red' } }, { labels: { l: '1' } }));
  await made(world.store, thing('b', { spec: { color: 'blue' } }));
  return world;
}

async function relabel({ store }: Things, name: string, l: string): Promise<void> {
  const apply = (current: unknown): never => {
    const object = structuredClone(current) as { metadata: { labels?: unknown } };
    object.metadata.labels = { l };
    return object as never;
  };
  await store.update(at(name), { apply, preconditions: undefined }, UPDATE);
  await settle();
}

const INITIAL = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const;

describe('a watch', () => {
  it('delivers the changes after its revision, and a deletion with the revision of the delete', async () => {
    const world = await two();
    const { events } = await watching(world.store, { resourceVersion: '2' });
    await relabel(world, 'a', '2');
    await world.store.delete(at('a'), deletion());
    await settle();
    expect(events.short).toEqual(['ADDED b', 'MODIFIED a', 'DELETED a']);
    expect(events.seen.map(([, object]) => object.metadata.resourceVersion)).toEqual(['3', '4', '5']);
    expect(events.seen[2]?.[1].metadata.labels).toEqual({ l: '2' });
    expect(events.ended).toEqual([]);
  });

  it('begins with the current objects, and marks their end with a bookmark if bookmarks are allowed', async () => {
    const world = await two();
    const { events } = await watching(world.store, { ...INITIAL, allowWatchBookmarks: true });
    expect(events.short).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK 3']);
    expect(events.seen[2]?.[1]).toEqual({ revision: 3, initialEventsEnd: true });
    expect((await watching(world.store, { ...INITIAL, resourceVersion: '0' })).events.short).toEqual([
      'ADDED a',
      'ADDED b',
    ]);
    expect((await watching(world.store, { ...INITIAL, resourceVersion: '2' })).events.short).toEqual([
      'ADDED a',
      'ADDED b',
    ]);
    expect((await watching(world.store, {})).events.short).toEqual(['ADDED a', 'ADDED b']);
  });

  it('begins at the current revision with sendInitialEvents=false', async () => {
    const world = await two();
    const none = { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' } as const;
    const watches = [
      await watching(world.store, none),
      await watching(world.store, { ...none, resourceVersion: '0' }),
      await watching(world.store, { ...none, resourceVersion: '2' }),
    ];
    await made(world.store, thing('c'));
    await settle();
    expect(watches.map(({ events }) => events.short)).toEqual([['ADDED c'], ['ADDED c'], ['ADDED b', 'ADDED c']]);
  });

  it('delivers one namespace, one name or the selected objects, which changes may enter and leave', async () => {
    const world = await two();
    const other = await watching(world.store, { resourceVersion: '3' }, at('', 'other'));
    const one = await watching(world.store, { resourceVersion: '3', fields: 'metadata.name=a' });
    const labelled = await watching(world.store, { resourceVersion: '3', labels: 'l=2' });
    await relabel(world, 'a', '2');
    await relabel(world, 'a', '3');
    await relabel(world, 'b', '4');
    expect(other.events.short).toEqual([]);
    expect(one.events.short).toEqual(['MODIFIED a', 'MODIFIED a']);
    expect(labelled.events.short).toEqual(['ADDED a', 'DELETED a']);
  });

  it('delivers another version, and selects by its fields', async () => {
    const world = await two();
    const { events } = await watching(world.store, { ...INITIAL, fields: 'spec.hue=red' }, at('', 'ns', v2));
    expect(events.seen).toMatchObject([['ADDED', { apiVersion: 'example.test/v2', spec: { hue: 'red', size: 1 } }]]);
  });

  it('ends with 410 after it was returned if its revision is too old', async () => {
    const world = await two();
    await world.storage.compact(3);
    const late = await things({}, {}, world.storage);
    const events = new Events();
    const started = late.store.watch(
      at(''),
      { options: query({ watch: true, resourceVersion: '1' }), encoding },
      events,
    );
    expect(events.ended).toEqual([]);
    await started;
    expect(events.ended).toEqual([]);
    await settle();
    expect(events.ended).toMatchObject([{ code: 410, reason: 'Expired', message: 'too old resource version: 1 (3)' }]);
    expect(events.short).toEqual([]);
  });

  it('calls the sink no more after it was stopped, even if it could not start', async () => {
    const world = await two();
    await world.storage.compact(3);
    const late = await things({}, {}, world.storage);
    const events = new Events();
    const watch = await late.store.watch(at(''), { options: query({ resourceVersion: '1' }), encoding }, events);
    watch.stop();
    const { events: more, watch: running } = await watching(world.store, { resourceVersion: '3' });
    running.stop();
    await made(world.store, thing('c'));
    await settle();
    expect([events.ended, more.ended, more.short]).toEqual([[], [], []]);
  });

  it('waits for a revision that does not exist yet', async () => {
    const world = await two();
    const { events } = await watching(world.store, { resourceVersion: '4' });
    await made(world.store, thing('c'));
    await made(world.store, thing('d'));
    await settle();
    expect(events.short).toEqual(['ADDED d']);
  });

  it('ends with 504 if the cache does not reach the revision of its initial state', async () => {
    const world = await two();
    const events = new Events();
    const options = query({ watch: true, ...INITIAL, resourceVersion: '99' });
    const started = Promise.resolve(world.store.watch(at(''), { options, encoding }, events));
    await world.clock.advance(3000);
    await started;
    await settle();
    expect(events.ended).toMatchObject([{ code: 504, message: 'Timeout: Too large resource version: 99, current: 3' }]);
  });

  it('refuses a malformed resourceVersion as kube-apiserver does', async () => {
    const { store } = await two();
    expect(await refused(() => watching(store, { resourceVersion: 'abc' }))).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  it('ends without a Status when the store stops, and with 500 for a corrupt object', async () => {
    const world = await two();
    const clean = await watching(world.store, { resourceVersion: '3' });
    const broken = await watching(world.store, { resourceVersion: '3' });
    await world.storage.create('registry/example.test/things/ns/x', new Uint8Array([1]));
    await settle();
    expect(broken.events.ended).toMatchObject([{ code: 500, reason: 'InternalError' }]);
    expect(clean.events.ended).toMatchObject([{ code: 500 }]);
    const last = await watching(world.store, { resourceVersion: '4' });
    await world.store.stop();
    expect(last.events.ended).toEqual([undefined]);
  });

  it('sends bookmarks about once a minute if they are allowed', async () => {
    const world = await two();
    const { events } = await watching(world.store, { resourceVersion: '3', allowWatchBookmarks: true });
    const quiet = await watching(world.store, { resourceVersion: '3' });
    await made(world.store, thing('c'), at('', 'other'));
    await world.clock.advance(61_000);
    await settle();
    expect(events.short).toEqual(['BOOKMARK 4']);
    expect(quiet.events.short).toEqual([]);
  });

  it('ends without a Status when its client is too slow', async () => {
    const world = await two();
    const events = new Events();
    const slow = { write: () => false, end: events.end.bind(events) };
    await world.store.watch(at(''), { options: query({ watch: true, resourceVersion: '3' }), encoding }, slow);
    await settle();
    for (let burst = 0; burst < 3; burst++) {
      await Promise.all(Array.from({ length: 1100 }, (_, i) => made(world.store, thing(`n-${burst}-${i}`))));
      await settle();
    }
    expect(events.ended).toEqual([undefined]);
  });
});
