import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { objectBytes, PREFIX, testCache } from './cache.fixtures.ts';
import type { CacheList, Entry, FormMaker, FormResult, MadeForm } from './cache.ts';
import { describeJson } from './describe-json.ts';
import { makeEntry } from './entry.ts';
import { EMPTY_FACTS, makeStringMap } from './facts.ts';
import { FORM_BATCH, Forms } from './forms.ts';

const entryOf = (key: string): Entry => makeEntry(describeJson(), key, 7, objectBytes(key));
const made = (text: string): MadeForm => ({ bytes: encodeUtf8(text), facts: EMPTY_FACTS });
const texts = (results: readonly FormResult[]): string[] =>
  results.map((result) => ('error' in result ? result.error.message : decodeUtf8(result.bytes)));

/** A maker that records its calls. */
function recorder(): { maker: FormMaker; calls: [string, string[]][] } {
  const calls: [string, string[]][] = [];
  return {
    calls,
    maker: {
      make(form, entries) {
        calls.push([form, entries.map((entry) => entry.key)]);
        return entries.map((entry) => made(`${form}:${entry.key}`));
      },
    },
  };
}

describe('forms', () => {
  const [a, b, c] = [entryOf('a'), entryOf('b'), entryOf('c')];

  it('are made in one batch, kept, and made once', () => {
    const { maker, calls } = recorder();
    const forms = new Forms({ maker, isCurrent: () => true });
    expect(texts(forms.make('v2', [a, b]) as FormResult[])).toEqual(['v2:a', 'v2:b']);
    expect(texts(forms.make('v2', [c, b, a]) as FormResult[])).toEqual(['v2:c', 'v2:b', 'v2:a']);
    expect(calls).toEqual([
      ['v2', ['a', 'b']],
      ['v2', ['c']],
    ]);
    expect(forms.bytes).toBe(12);
  });

  it('of entries that are not current are made and not kept', () => {
    const { maker, calls } = recorder();
    const forms = new Forms({ maker, isCurrent: () => false });
    forms.make('v2', [a]);
    forms.make('v2', [a]);
    expect(calls).toHaveLength(2);
    expect(forms.bytes).toBe(0);
  });

  it('are dropped with their entry and with their form key', () => {
    const { maker, calls } = recorder();
    const forms = new Forms({ maker, isCurrent: () => true });
    forms.make('v2', [a, b]);
    forms.make('v3', [a]);
    forms.forget(a);
    expect(forms.bytes).toBe(4);
    forms.make('v2', [a]);
    expect(calls).toHaveLength(3);
    forms.drop((form) => form === 'v2');
    expect(forms.bytes).toBe(0);
    forms.make('v2', [a]);
    expect(calls).toHaveLength(4);
  });

  it('are bounded in bytes: the least recently used form is dropped first', () => {
    const { maker, calls } = recorder();
    const forms = new Forms({ maker, isCurrent: () => true, bytes: 12 });
    forms.make('v2', [a]);
    forms.make('v3', [a]);
    forms.make('v4', [a]);
    forms.make('v2', [a]); // used again: v3 is the oldest now
    forms.make('v5', [a]);
    expect(forms.bytes).toBe(12);
    forms.make('v2', [a]);
    forms.make('v4', [a]);
    expect(calls.map(([form]) => form)).toEqual(['v2', 'v3', 'v4', 'v5']);
    forms.make('v3', [a]);
    expect(calls).toHaveLength(5);
    // A single form that is too large is made for each use and not kept.
    const tight = new Forms({ maker, isCurrent: () => true, bytes: 5 });
    expect(texts(tight.make('v2', [a, b]) as FormResult[])).toEqual(['v2:a', 'v2:b']);
    expect(tight.bytes).toBe(4);
  });

  it('that are not used are dropped after some ticks', () => {
    const { maker } = recorder();
    const forms = new Forms({ maker, isCurrent: () => true });
    forms.make('v2', [a]);
    for (let i = 0; i < 5; i++) forms.tick();
    expect(forms.bytes).toBe(4);
    forms.tick();
    expect(forms.bytes).toBe(0);
  });

  it('that are being made are shared by all callers that want them meanwhile', async () => {
    const calls: string[][] = [];
    const resolvers: (() => void)[] = [];
    const maker: FormMaker = {
      make: (form, entries) =>
        new Promise((resolve) => {
          calls.push(entries.map((entry) => entry.key));
          resolvers.push(() => resolve(entries.map((entry) => made(`${form}:${entry.key}`))));
        }),
    };
    const forms = new Forms({ maker, isCurrent: () => true });
    const first = forms.make('v2', [a, b]);
    const second = forms.make('v2', [b, c, b]);
    expect(calls).toEqual([['a', 'b'], ['c']]);
    resolvers[1]!();
    resolvers[0]!();
    expect(texts(await first)).toEqual(['v2:a', 'v2:b']);
    expect(texts(await second)).toEqual(['v2:b', 'v2:c', 'v2:b']);
    expect(texts(forms.make('v2', [a, b, c]) as FormResult[])).toEqual(['v2:a', 'v2:b', 'v2:c']);
    expect(calls).toHaveLength(2);
  });

  it('are made again when they were not kept, also by an asynchronous maker', async () => {
    let calls = 0;
    const maker: FormMaker = { make: async () => [made(String(++calls))] };
    const forms = new Forms({ maker, isCurrent: () => false });
    expect(texts(await forms.make('v2', [a]))).toEqual(['1']);
    expect(texts(await forms.make('v2', [a]))).toEqual(['2']);
  });

  it('that are dropped while they are made are answered and not kept', async () => {
    let finish = (): void => {};
    const maker: FormMaker = {
      make: () =>
        new Promise((resolve) => {
          finish = () => resolve([made('late')]);
        }),
    };
    const forms = new Forms({ maker, isCurrent: () => true });
    const waiting = forms.make('v2', [a]);
    forms.drop(() => true);
    finish();
    expect(texts(await waiting)).toEqual(['late']);
    expect(forms.bytes).toBe(0);
  });

  it('fail one by one, or as a batch by a throw, a rejection or a wrong number of results', async () => {
    const run = (make: FormMaker['make']): Promise<readonly FormResult[]> =>
      Promise.resolve(new Forms({ maker: { make }, isCurrent: () => true }).make('v2', [a, b]));
    expect(texts(await run(() => [{ error: new Error('one') }, made('two')]))).toEqual(['one', 'two']);
    const boom = (): never => {
      throw new Error('boom');
    };
    expect(texts(await run(boom))).toEqual(['boom', 'boom']);
    expect(texts(await run(async () => boom()))).toEqual(['boom', 'boom']);
    expect(texts(await run(() => [made('only')]))[1]).toContain('1 results for 2 entries');
    const broken = makeEntry(describeJson(), 'x', 1, encodeUtf8('bad'));
    const forms = new Forms({ maker: { make: boom }, isCurrent: () => true });
    expect(forms.make('v2', [broken])).toEqual([{ error: broken.broken }]);
  });
});

describe('lists in another form', () => {
  const upper: FormMaker = {
    make: (_, entries) =>
      Promise.resolve(
        entries.map((entry) => ({
          bytes: encodeUtf8(entry.key.toUpperCase()),
          facts: { ...EMPTY_FACTS, labels: makeStringMap([['last', entry.key.slice(-1)]]) },
        })),
      ),
  };

  it('are made in batches, filtered by the facts of the form, and limited', async () => {
    const sizes: number[] = [];
    const { store, cache } = testCache({
      forms: {
        make(form, entries) {
          sizes.push(entries.length);
          return upper.make(form, entries);
        },
      },
    });
    const total = FORM_BATCH + 100;
    for (let i = 0; i < total; i++) await store.put(`${PREFIX}${1000 + i}`, objectBytes('x', { last: 'never' }));
    await cache.start();
    const everything = await cache.list({ prefix: PREFIX }, { form: 'up' });
    expect([everything.items.length, everything.next, everything.remaining]).toEqual([total, undefined, 0]);
    expect(sizes).toEqual([FORM_BATCH, 100]);
    const page = (await cache.list({ prefix: PREFIX }, { form: 'up', limit: 10 })) as CacheList;
    expect([page.items.length, page.next, page.remaining]).toEqual([10, `${PREFIX}1010`, total - 10]);
    const filter = { text: 'last=7', matches: (facts: Entry['facts']): boolean => facts.labels['last'] === '7' };
    const some = await cache.list({ prefix: PREFIX }, { form: 'up', limit: 2, filter });
    expect(some.items.map((item) => decodeUtf8(item).slice(-4))).toEqual(['1007', '1017']);
    expect([some.next, some.remaining]).toEqual([`${PREFIX}1027`, undefined]);
    const last = await cache.list({ prefix: PREFIX }, { form: 'up', limit: 100, filter, start: `${PREFIX}1580` });
    expect([last.items.length, last.next, last.remaining]).toEqual([2, undefined, 0]);
    const { bytes } = await cache.form(cache.get(`${PREFIX}1000`)!, 'up');
    expect(decodeUtf8(bytes)).toBe(`${PREFIX}1000`.toUpperCase());
    await cache.stop();
  });

  it('fail with the error of any of their objects, and for an unknown form', async () => {
    const { store, cache } = testCache({
      forms: { make: (_, entries) => Promise.resolve(entries.map(() => ({ error: new Error('cannot convert') }))) },
    });
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await cache.start();
    await expect(cache.list({ prefix: PREFIX }, { form: 'v2' })).rejects.toThrow('cannot convert');
    await cache.stop();
    const without = testCache();
    await without.store.put(`${PREFIX}a`, objectBytes('a'));
    await without.cache.start();
    expect(() => without.cache.list({ prefix: PREFIX }, { form: 'v2' })).toThrow('this cache has no form v2');
    await without.cache.stop();
  });

  it('are kept while the object is in the window, and no longer', async () => {
    const { store, cache } = testCache({ forms: upper, window: { events: 2, bytes: 1e6 } });
    await cache.start();
    await store.put(`${PREFIX}a`, objectBytes('a', {}, '1'));
    await cache.list({ prefix: PREFIX }, { form: 'up' });
    expect(cache.stats().formBytesNow).toBe(PREFIX.length + 1);
    for (let i = 2; i < 4; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    expect(cache.stats().formBytesNow).toBe(PREFIX.length + 1);
    await store.put(`${PREFIX}b`, objectBytes('b'));
    expect(cache.stats().formBytesNow).toBe(0);
    await cache.stop();
  });
});
