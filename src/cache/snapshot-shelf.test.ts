import { describe, expect, it } from 'vitest';
import { OrderedMap } from '../base/ordered-map.ts';
import { Forms } from './forms.ts';
import { Snapshot } from './snapshot.ts';
import { SnapshotShelf } from './snapshot-shelf.ts';

const forms = new Forms({ maker: { make: () => [] }, isCurrent: () => false });
const snapshot = (revision: number): Snapshot => new Snapshot(revision, new OrderedMap(), forms);

describe('the shelf of snapshots', () => {
  it('keeps sixteen; the one that was not used for longest goes first', () => {
    const shelf = new SnapshotShelf();
    for (let revision = 1; revision <= 16; revision++) shelf.put(snapshot(revision));
    expect(shelf.get(1)?.revision).toBe(1);
    shelf.put(snapshot(17));
    expect(shelf.size).toBe(16);
    expect(shelf.get(2)).toBeUndefined();
    expect(shelf.get(1)?.revision).toBe(1);
  });

  it('lets go of what was not used between two ticks', () => {
    const shelf = new SnapshotShelf();
    shelf.put(snapshot(1));
    shelf.put(snapshot(2));
    shelf.tick();
    expect(shelf.get(1)).toBeDefined();
    shelf.tick();
    expect(shelf.get(2)).toBeUndefined();
    expect(shelf.get(1)).toBeDefined();
    shelf.clear();
    expect(shelf.size).toBe(0);
  });
});
