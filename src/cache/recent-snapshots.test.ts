import { describe, expect, it } from 'vitest';
import { OrderedMap } from '../base/ordered-map.ts';
import { Forms } from './forms.ts';
import { RecentSnapshots } from './recent-snapshots.ts';
import { Snapshot } from './snapshot.ts';

const forms = new Forms({ maker: { make: () => [] }, isCurrent: () => false });
const snapshot = (revision: number): Snapshot => new Snapshot(revision, new OrderedMap(), forms);

describe('the recent snapshots', () => {
  it('hold 16 and drop the least recently used one first', () => {
    const recent = new RecentSnapshots();
    for (let revision = 1; revision <= 16; revision++) recent.put(snapshot(revision));
    expect(recent.get(1)?.revision).toBe(1);
    recent.put(snapshot(17));
    expect(recent.size).toBe(16);
    expect(recent.get(2)).toBeUndefined();
    expect(recent.get(1)?.revision).toBe(1);
  });

  it('drop a snapshot that is not used between two ticks', () => {
    const recent = new RecentSnapshots();
    recent.put(snapshot(1));
    recent.put(snapshot(2));
    recent.tick();
    expect(recent.get(1)).toBeDefined();
    recent.tick();
    expect(recent.get(2)).toBeUndefined();
    expect(recent.get(1)).toBeDefined();
    recent.clear();
    expect(recent.size).toBe(0);
  });
});
