import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { settle } from '../../base/virtual-clock.ts';
import { begin, labelFilter, objectBytes, PREFIX, RecordingSink, started } from '../cache.fixtures.ts';
import type { MadeForm } from '../cache.ts';
import { FORM_BATCH } from '../forms.ts';
import type { WatchCacheOptions } from '../watch-cache.ts';

describe('watches in another form', () => {
  /** Forms that are made when the test calls the pending functions, in any order. */
  function controlledForms(): { make: WatchCacheOptions['forms'] & object; pending: (() => void)[] } {
    const pending: (() => void)[] = [];
    return {
      pending,
      make: {
        make: (form, entries) =>
          new Promise((resolve) => {
            const made = entries.map((entry): MadeForm => {
              const object = JSON.parse(decodeUtf8(entry.bytes)) as { kind: string };
              return { bytes: encodeUtf8(JSON.stringify({ ...object, kind: form })), facts: entry.facts };
            });
            pending.push(() => resolve(made));
          }),
      },
    };
  }

  it('keep their order while forms are made, and share each form', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [one, two, stored] = [new RecordingSink(), new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, one);
    begin(cache, { form: 'v2', filter: labelFilter('a', 'b') }, two);
    begin(cache, {}, stored);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a', { a: 'b' }));
    turns.runAll();
    expect(stored.brief).toEqual(['ADDED a@2']);
    expect(forms.pending).toHaveLength(1);
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.delete(`${PREFIX}a`);
    for (let i = 0; i < 20; i++) {
      turns.runAll();
      forms.pending.pop()?.();
      await settle();
    }
    expect(one.brief).toEqual(['ADDED a@2', 'ADDED b@3', 'DELETED a@4']);
    expect(two.brief).toEqual(['ADDED a@2', 'DELETED a@4']);
    expect(one.events.every((event) => event.text.includes('"kind":"v2"'))).toBe(true);
    await cache.stop();
  });

  it('end with the error of a form that cannot be made, after all earlier events', async () => {
    const { store, cache, turns } = await started({
      forms: {
        make: (_, entries) =>
          entries.map((entry) =>
            entry.key.endsWith('bad')
              ? { error: new Error('cannot convert') }
              : { bytes: entry.bytes, facts: entry.facts },
          ),
      },
    });
    const [sink, stored] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, sink);
    begin(cache, {}, stored);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}bad`, objectBytes('bad'));
    await store.put(`${PREFIX}c`, objectBytes('c'));
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@2']);
    expect(sink.ended).toMatchObject({ reason: 'failed', error: { message: 'cannot convert' } });
    expect(stored.brief).toHaveLength(3);
    await cache.stop();
  });

  it('leave out an object whose form can never be made, until it can, and end if they have shown it', async () => {
    const { store, cache, turns } = await started({
      forms: {
        make: (_, entries) =>
          entries.map((entry) =>
            decodeUtf8(entry.bytes).includes('"bad"')
              ? { error: new Error('cannot convert'), lasting: true, facts: entry.facts }
              : { bytes: entry.bytes, facts: entry.facts },
          ),
      },
    });
    const put = async (name: string, labels: Record<string, string>): Promise<void> => {
      await store.put(PREFIX + name, objectBytes(name, labels));
      turns.runAll();
    };
    await put('a', { is: 'bad' });
    const [all, some] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2', from: 'now' }, all);
    begin(cache, { form: 'v2', from: 'now', filter: labelFilter('of', 'some') }, some);
    turns.runAll();
    await put('a', { is: 'bad', x: '1' });
    await put('b', {});
    await put('a', { is: 'good' });
    await put('c', { is: 'good', of: 'some' });
    expect([all.brief, all.ended]).toEqual([['ADDED b@4', 'MODIFIED a@5', 'ADDED c@6'], undefined]);
    await put('a', { is: 'bad' });
    expect(all.ended).toMatchObject({ reason: 'failed', error: { message: 'cannot convert' } });
    expect([some.brief, some.ended]).toEqual([['ADDED c@6'], undefined]);
    await put('c', { is: 'bad', of: 'some' });
    expect(some.ended).toMatchObject({ reason: 'failed' });
    await cache.stop();
  });

  it('that begin while others wait for forms get every later change and no earlier one', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [first, second] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, first);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll(); // from now on the group waits for a form
    for (let i = 0; i < FORM_BATCH - 1; i++) await store.put(`${PREFIX}b`, objectBytes('b', {}, String(i)));
    // One revision in two batches of forms.
    const writes = ['x', 'y'].map((name) => ({ type: 'put' as const, key: PREFIX + name, value: objectBytes(name) }));
    const { revision } = await store.inner.transact({ checks: [], writes });
    begin(cache, { form: 'v2' }, second);
    turns.runAll();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    for (let i = 0; i < 10; i++) {
      for (const finish of forms.pending.splice(0)) finish();
      await settle();
      turns.runAll();
    }
    expect(first.brief).toHaveLength(FORM_BATCH + 3);
    expect(second.brief).toEqual([`ADDED c@${revision + 1}`]);
    await cache.stop();
  });

  it('that begin after a change are not ended by its failure', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [first, second] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, first);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll();
    await store.put(`${PREFIX}bad`, encodeUtf8('nonsense'));
    begin(cache, { form: 'v2' }, second);
    turns.runAll();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    for (let i = 0; i < 10; i++) {
      for (const finish of forms.pending.splice(0)) finish();
      await settle();
      turns.runAll();
    }
    expect(first.brief).toEqual(['ADDED a@2']);
    expect(first.ended).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
    expect(second.brief).toEqual(['ADDED c@4']);
    expect(second.ended).toBeUndefined();
    await cache.stop();
  });

  it('end as too slow when more changes wait for forms than the window holds', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make, window: { events: 4, bytes: 1e6 } });
    const sink = new RecordingSink();
    begin(cache, { form: 'v2' }, sink);
    turns.runAll();
    for (let i = 0; i < 7; i++) {
      await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
      turns.runAll();
    }
    expect(sink.ended).toEqual({ reason: 'too-slow' });
    for (const resolve of forms.pending) resolve();
    await settle();
    turns.runAll();
    expect(sink.chunks).toEqual([]);
    await cache.stop();
  });
});
