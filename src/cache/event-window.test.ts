import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Entry } from './cache.ts';
import { Change } from './change.ts';
import { EventWindow } from './event-window.ts';
import { EMPTY_FACTS } from './facts.ts';

const entry = (revision: number, size = 10): Entry => ({
  key: 'k',
  revision,
  bytes: encodeUtf8('x'.repeat(size)),
  splice: 1,
  facts: EMPTY_FACTS,
  broken: undefined,
});
const change = (revision: number, previousSize = 10): Change =>
  new Change('k', revision, entry(revision), entry(revision - 1, previousSize));

describe('the event window', () => {
  it('keeps the newest changes up to its count, and its floor is the last one dropped', () => {
    const dropped: number[] = [];
    const window = new EventWindow({ events: 3, bytes: 1e6 }, 1, (previous) => void dropped.push(previous.revision));
    expect(window.floor).toBe(1);
    for (let revision = 2; revision <= 6; revision++) window.push(change(revision));
    expect([window.size, window.floor, window.first, window.end]).toEqual([3, 3, 2, 5]);
    expect(dropped).toEqual([1, 2]);
    expect(window.at(1)).toBeUndefined();
    expect(window.at(window.sequenceAfter(4))?.revision).toBe(5);
    expect(window.sequenceAfter(6)).toBe(window.end);
  });

  it('keeps changes up to its bytes, and none if a single change is too large', () => {
    const window = new EventWindow({ events: 100, bytes: 2500 }, 1, () => {});
    for (let revision = 2; revision <= 4; revision++) window.push(change(revision, 1000));
    expect([window.size, window.floor]).toEqual([2, 2]);
    window.push(change(5, 5000));
    expect([window.size, window.floor, window.bytes]).toEqual([0, 5, 0]);
  });

  it('counts a deletion twice, because it may hold two versions', () => {
    const window = new EventWindow({ events: 100, bytes: 1e6 }, 1, () => {});
    window.push(new Change('k', 2, undefined, entry(1, 100)));
    const deletion = window.bytes;
    window.push(new Change('k', 3, entry(3), entry(2, 100)));
    expect(window.bytes - deletion).toBe(deletion - 100);
  });

  it('is extended by the newest older changes that fit', () => {
    const older = new EventWindow({ events: 10, bytes: 1e6 }, 2, () => {});
    for (let revision = 3; revision <= 6; revision++) older.push(change(revision));
    const window = new EventWindow({ events: 5, bytes: 1e6 }, 6, () => {});
    window.push(change(7));
    const before = window.sequenceAfter(6);
    window.extend(older);
    expect([window.size, window.floor, window.bytes]).toEqual([5, 2, 5 * 210]);
    expect(window.at(before)?.revision).toBe(7);
    expect(window.at(window.sequenceAfter(3))?.revision).toBe(4);
    window.push(change(8));
    expect([window.size, window.floor]).toEqual([5, 3]);
    const small = new EventWindow({ events: 100, bytes: 500 }, 6, () => {});
    small.extend(older);
    expect([small.size, small.floor]).toEqual([2, 4]);
  });

  it('stays correct over many more changes than it holds', () => {
    const window = new EventWindow({ events: 10, bytes: 1e6 }, 1, () => {});
    for (let revision = 2; revision < 3000; revision++) {
      window.push(change(revision));
      expect(window.at(window.end - 1)?.revision).toBe(revision);
      expect(window.at(window.first)?.revision).toBe(Math.max(2, revision - 9));
    }
    expect(window.bytes).toBe(10 * 210);
  });
});
