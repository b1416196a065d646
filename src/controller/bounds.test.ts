import { describe, expect, it } from 'vitest';
import type { Stored } from '../client/object-types.ts';
import { describeChange, HotLoopDetector } from './hot-loop.ts';
import { PendingReasons, reasonTexts } from './reasons.ts';
import { ReconcileJournal } from './reconcile-journal.ts';

const object = (generation: number, more: object = {}): Stored<unknown> =>
  ({
    apiVersion: 'v1',
    kind: 'Foo',
    metadata: { name: 'a', uid: 'u', resourceVersion: String(generation), generation },
    ...more,
  }) as Stored<unknown>;

describe('the reasons of a pending key', () => {
  it('are at most eight, equal ones count once, and the rest is counted', () => {
    const reasons = new PendingReasons();
    for (let i = 0; i < 20; i++) reasons.add('k', { text: `reason ${i % 12}` });
    expect(reasonTexts(reasons.take('k'))).toEqual([...Array(8).keys()].map((i) => `reason ${i}`).concat('and 4 more'));
    expect(reasonTexts(reasons.take('k'))).toEqual([]);
  });

  it('name a delay only if nothing else enqueued the key', () => {
    const reasons = new PendingReasons();
    reasons.addDelayed('k', { text: 'requeue' });
    expect(reasonTexts(reasons.take('k'))).toEqual(['requeue']);
    reasons.addDelayed('k', { text: 'requeue' });
    reasons.add('k', { text: 'updated' });
    expect(reasonTexts(reasons.take('k'))).toEqual(['updated']);
    expect(reasonTexts(reasons.take('k'))).toEqual([]);
  });
});

describe('the journal', () => {
  it('keeps eight reconciles of each of a thousand keys', () => {
    const journal = new ReconcileJournal();
    const record = (at: number) => ({ at, ms: 1, why: [], result: 'done' });
    for (let i = 0; i < 20; i++) journal.record('op', 'hot', record(i));
    expect(journal.read({ key: 'hot' })).toMatchObject([{ reconciles: 20, last: { length: 8 } }]);
    expect(journal.read({ key: 'hot' })[0]?.last[0]?.at).toBe(12);
    for (let i = 0; i < 1000; i++) journal.record('op', `key ${i}`, record(i));
    expect(journal.read()).toHaveLength(1000);
    expect(journal.read({ key: 'hot' })).toEqual([]);
    expect(journal.read()[0]?.key).toBe('key 999');
  });
});

describe('the hot-loop detector', () => {
  it('reports a key once, and again after a calm window', () => {
    const detector = new HotLoopDetector({ reconciles: 3, windowMs: 1000 });
    const count = (now: number, generation = 1) => detector.count('k', object(generation), [], now)?.reconciles;
    expect([0, 1, 2, 3, 4].map((now) => count(now))).toEqual([undefined, undefined, 3, undefined, undefined]);
    expect([1500, 1501, 1502].map((now) => count(now))).toEqual([undefined, undefined, undefined]);
    expect(count(5000)).toBeUndefined();
    expect([9000, 9001, 9002].map((now) => count(now))).toEqual([undefined, undefined, 3]);
  });

  it('begins anew when the spec changes', () => {
    const detector = new HotLoopDetector({ reconciles: 3, windowMs: 1000 });
    const reports = [1, 2, 3, 4, 5].map((generation) => detector.count('k', object(generation), [], generation));
    expect(reports.every((report) => report === undefined)).toBe(true);
  });

  it('shows values of the status only, shortened, and no fields that always change', () => {
    const before = object(1, { spec: { password: 'a', old: 1 }, status: { 'a/b': 1, text: 'x' } });
    const after = object(2, { spec: { password: 'b' }, status: { 'a/b': 2, text: 'y'.repeat(100) } });
    expect(describeChange({ kind: 'Foo', before, after })).toEqual([
      'Foo spec.old removed',
      'Foo spec.password changed',
      'Foo status.a/b: 1 → 2',
      `Foo status.text: "x" → "${'y'.repeat(59)}…`,
    ]);
  });
});
