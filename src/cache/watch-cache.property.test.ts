import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { settle } from '../base/virtual-clock.ts';
import { StorageError } from '../storage/errors.ts';
import { labelFilter, objectBytes, PREFIX, RecordingSink, testCache, testEncoding } from './cache.fixtures.ts';
import type { CacheList, CacheRange, CacheWatch, Filter, FormMaker } from './cache.ts';
import { makeStringMap } from './facts.ts';

/**
 * The model: every past state, as plain maps. The events of a watcher must be exactly the changes of the model after
 * its start, as its filter sees them in the version of its form. A watcher that ended `too-slow` has seen a prefix of
 * them.
 */
interface ModelObject {
  readonly name: string;
  readonly color: string;
  readonly spec: string;
  readonly revision: number;
}

type ModelState = ReadonlyMap<string, ModelObject>;

interface Viewer {
  readonly range: CacheRange;
  readonly form: Form;
  readonly wanted: string | undefined;
}

type Form = 'stored' | 'sync' | 'async';

const FILTERS: Record<string, Filter> = { red: labelFilter('color', 'red'), blue: labelFilter('color', 'blue') };
const NAMES = ['ns1/a', 'ns1/b', 'ns2/a', 'ns2/c', 'ns2/d'];
const RANGES: readonly CacheRange[] = [
  { prefix: PREFIX },
  { prefix: `${PREFIX}ns1/` },
  { prefix: `${PREFIX}ns2/` },
  { key: `${PREFIX}ns1/a` },
];

/** The other forms swap red and blue, so that a test fails if a filter does not look at the facts of the form. */
const swapped = (color: string): string => (color === 'red' ? 'blue' : color === 'blue' ? 'red' : color);

function covers(range: CacheRange, key: string): boolean {
  return 'key' in range ? key === range.key : key.startsWith(range.prefix);
}

function visible(viewer: Viewer, key: string, object: ModelObject | undefined): object is ModelObject {
  if (object === undefined || !covers(viewer.range, key)) return false;
  return viewer.wanted === undefined || shown(viewer, object).color === viewer.wanted;
}

function shown(viewer: Viewer, object: ModelObject): ModelObject {
  return viewer.form === 'stored' ? object : { ...object, color: swapped(object.color) };
}

const line = (type: string, object: ModelObject, revision: number): string =>
  `${type} ${object.name} ${object.color} ${object.spec}@${revision}`;

/** The events of a viewer between two successive states. */
function difference(
  viewer: Viewer,
  before: ModelState,
  after: ModelState,
  revision: number,
  keys: readonly string[],
): string[] {
  return keys.flatMap((key) => {
    const [old, now] = [before.get(key), after.get(key)];
    const was = visible(viewer, key, old) ? shown(viewer, old) : undefined;
    const is = visible(viewer, key, now) ? shown(viewer, now) : undefined;
    if (is !== undefined) return [line(was === undefined ? 'ADDED' : 'MODIFIED', is, revision)];
    return was === undefined ? [] : [line('DELETED', was, revision)];
  });
}

function stateLines(viewer: Viewer, state: ModelState): string[] {
  return [...state.keys()]
    .sort()
    .filter((key) => visible(viewer, key, state.get(key)))
    .map((key) => line('ADDED', shown(viewer, state.get(key)!), state.get(key)!.revision));
}

/** Forms in which the colors are swapped. The run decides when, and in which order, asynchronous ones are finished. */
class SwappingForms implements FormMaker {
  readonly pending: (() => void)[] = [];

  make(...[form, entries]: Parameters<FormMaker['make']>): ReturnType<FormMaker['make']> {
    const made = entries.map((entry) => {
      const object = JSON.parse(decodeUtf8(entry.bytes)) as { metadata: { labels: { color: string } } };
      object.metadata.labels.color = swapped(object.metadata.labels.color);
      const labels = makeStringMap([['color', object.metadata.labels.color]]);
      return { bytes: encodeUtf8(JSON.stringify(object)), facts: { labels, fields: entry.facts.fields, hash: 0 } };
    });
    return form === 'sync' ? made : new Promise((resolve) => void this.pending.push(() => resolve(made)));
  }
}

const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('put' as const), name: fc.nat(4), color: fc.nat(2), spec: fc.nat(9) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('transact' as const),
      names: fc.uniqueArray(fc.nat(4), { minLength: 2, maxLength: 3 }),
      color: fc.nat(2),
      spec: fc.nat(9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('watch' as const),
      range: fc.nat(3),
      filter: fc.constantFrom('red', 'blue', undefined),
      form: fc.constantFrom<Form>('stored', 'stored', 'sync', 'async'),
      from: fc.oneof(fc.constantFrom('now' as const, 'state' as const), fc.integer({ min: 1, max: 40 })),
      blocking: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('turn' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('drain' as const), which: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('finish' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('bookmark' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('elsewhere' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('stop' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('break' as const, 'wait' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('read' as const),
      revision: fc.integer({ min: 1, max: 40 }),
      form: fc.constantFrom<Form>('stored', 'sync'),
      filter: fc.constantFrom('red', undefined),
    }),
  },
);

interface RunningWatch {
  readonly viewer: Viewer;
  readonly sink: RecordingSink;
  readonly watch: CacheWatch;
  readonly start: number;
  readonly fromState: boolean;
}

const drain = (running: RunningWatch | undefined): void => running?.sink.drain(running.watch);

describe('the watch cache beside a naive model', () => {
  it('tells every watcher exactly what happened after its start, once and in order', async () => {
    let [watches, tooSlow, compacted] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 20, maxLength: 100, size: 'max' }),
        fc.constantFrom(3, 8, 100),
        fc.constantFrom(2, 5, 100),
        async (operations, windowEvents, queueEvents) => {
          const forms = new SwappingForms();
          const window = { events: windowEvents, bytes: 1e6 };
          const { store, cache, turns } = testCache({ forms, window, queue: { events: queueEvents, bytes: 1e6 } });
          await cache.start();
          // states[r] is the state at revision r; changed[r] are the keys that r wrote, in order.
          const states: ModelState[] = [new Map(), new Map()];
          const changed: string[][] = [[], []];
          const running: RunningWatch[] = [];

          const record = (revision: number, writes: readonly [string, ModelObject | undefined][]): void => {
            const state = new Map(states.at(-1));
            for (const [key, object] of writes) {
              if (object === undefined) state.delete(key);
              else state.set(key, object);
            }
            states[revision] = state;
            changed[revision] = writes.map(([key]) => key);
          };
          const object = (name: number, color: number, spec: number): Omit<ModelObject, 'revision'> => ({
            name: NAMES[name]!,
            color: ['red', 'blue', 'green'][color]!,
            spec: `${spec}.${states.length}`,
          });
          const bytesOf = ({ name, color, spec }: Omit<ModelObject, 'revision'>): Uint8Array =>
            objectBytes(name, { color }, spec);

          for (const step of operations) {
            switch (step.type) {
              case 'put': {
                const next = object(step.name, step.color, step.spec);
                const key = PREFIX + next.name;
                const revision = await store.put(key, bytesOf(next));
                record(revision, [[key, { ...next, revision }]]);
                break;
              }
              case 'delete': {
                const key = PREFIX + NAMES[step.name]!;
                const revision = await store.delete(key);
                if (revision === states.length) record(revision, [[key, undefined]]);
                break;
              }
              case 'transact': {
                const next = step.names.map((name) => object(name, step.color, step.spec));
                const writes = next.map((each) => ({
                  type: 'put' as const,
                  key: PREFIX + each.name,
                  value: bytesOf(each),
                }));
                const { revision } = await store.inner.transact({ checks: [], writes });
                record(
                  revision,
                  next.map((each) => [PREFIX + each.name, { ...each, revision }]),
                );
                break;
              }
              case 'elsewhere':
                record(await store.put('default/others/x', encodeUtf8(String(states.length))), []);
                break;
              case 'watch': {
                const viewer: Viewer = { range: RANGES[step.range]!, form: step.form, wanted: step.filter };
                const sink = new RecordingSink();
                sink.blocking = step.blocking;
                const from = typeof step.from === 'number' ? { after: Math.min(step.from, states.length) } : step.from;
                const start = typeof from === 'object' ? from.after : cache.revision;
                const result = cache.watch(
                  {
                    range: viewer.range,
                    encoding: testEncoding,
                    from,
                    initialEventsEnd: true,
                    ...(step.filter === undefined ? {} : { filter: FILTERS[step.filter]! }),
                    ...(step.form === 'stored' ? {} : { form: step.form }),
                  },
                  sink,
                );
                if (result.outcome === 'compacted') {
                  compacted++;
                  // Only a watch that needs more than the window holds may be refused.
                  expect(changed.slice(start + 1).flat().length).toBeGreaterThan(windowEvents);
                } else {
                  watches++;
                  running.push({ viewer, sink, watch: result.watch, start, fromState: from === 'state' });
                }
                break;
              }
              case 'turn':
                turns.run();
                break;
              case 'drain':
                drain(running[step.which % (running.length || 1)]);
                break;
              case 'finish':
                forms.pending.splice(step.which % (forms.pending.length || 1), 1)[0]?.();
                await settle();
                break;
              case 'bookmark':
                running[step.which % (running.length || 1)]?.watch.bookmark();
                break;
              case 'stop':
                running[step.which % (running.length || 1)]?.watch.stop();
                break;
              case 'break':
                store.break({ reason: 'failed', error: new StorageError('Unavailable', 'broken off') });
                break;
              case 'wait':
                await store.clock.advance(1000);
                break;
              case 'read': {
                const revision = Math.min(step.revision, cache.revision);
                const viewer: Viewer = { range: { prefix: PREFIX }, form: step.form, wanted: step.filter };
                const at = cache.snapshotAt(revision);
                if (at.outcome !== 'ok') break;
                const list = at.snapshot.list(viewer.range, {
                  ...(step.filter === undefined ? {} : { filter: FILTERS[step.filter]! }),
                  ...(step.form === 'stored' ? {} : { form: step.form }),
                }) as CacheList;
                const seen = new RecordingSink();
                seen.write(list.items.map((item) => testEncoding.event('ADDED', item)));
                expect(linesOf(seen)).toEqual(stateLines(viewer, states[revision]!));
                break;
              }
            }
          }

          // Wait until all work is done.
          await store.clock.advance(10_000);
          expect(await cache.waitFresh()).toMatchObject({ outcome: 'ok' });
          for (const { sink } of running) sink.blocking = false;
          let quiet = 0;
          while (quiet < 2) {
            quiet = turns.pending === 0 && forms.pending.length === 0 ? quiet + 1 : 0;
            for (const each of running) drain(each);
            turns.runAll();
            for (const finish of forms.pending.splice(0)) finish();
            await settle();
          }

          for (const { viewer, sink, start, fromState } of running) {
            const expected = fromState ? stateLines(viewer, states[start]!) : [];
            for (let revision = start + 1; revision < states.length; revision++) {
              expected.push(
                ...difference(viewer, states[revision - 1]!, states[revision]!, revision, changed[revision]!),
              );
            }
            const seen = linesOf(sink);
            if (sink.ended === undefined) expect(seen).toEqual(expected);
            else {
              if (sink.ended.reason === 'too-slow') tooSlow++;
              else expect(sink.ended).toEqual({ reason: 'stopped' });
              expect(seen).toEqual(expected.slice(0, seen.length));
            }
            expect(sink.breaches).toEqual([]);
            checkBookmarks(sink, start, fromState);
          }
          await cache.stop();
          expect([store.clock.pendingTimers, store.watches.size]).toEqual([0, 0]);
        },
      ),
      { numRuns: 250, seed: 20_300_101 },
    );
    // The run must have reached enough of the interesting cases.
    expect(Math.min(watches, tooSlow, compacted)).toBeGreaterThan(20);
  });
});

function linesOf(sink: RecordingSink): string[] {
  return sink.events
    .filter(({ type }) => type !== 'BOOKMARK')
    .map(
      ({ type, revision, object: { metadata, spec } }) =>
        `${type} ${metadata.name} ${metadata.labels['color']} ${spec}@${revision}`,
    );
}

/** Every event up to the revision of a bookmark comes before it, and every later event after it. */
function checkBookmarks(sink: RecordingSink, start: number, fromState: boolean): void {
  const { events } = sink;
  events.forEach((event, i) => {
    if (event.type !== 'BOOKMARK') return;
    expect(event.revision).toBeGreaterThanOrEqual(start);
    expect(events.slice(i + 1).every((later) => later.type === 'BOOKMARK' || later.revision > event.revision)).toBe(
      true,
    );
    expect(events.slice(0, i).every((earlier) => earlier.revision <= event.revision)).toBe(true);
  });
  const ends = events.filter((event) => event.text.includes('"initialEventsEnd":true'));
  expect(ends.length).toBeLessThanOrEqual(fromState ? 1 : 0);
  if (sink.ended === undefined) expect(ends.length).toBe(fromState ? 1 : 0);
}
