import { describe, expect, it } from 'vitest';
import { type Allocate, decodeUtf8 } from '../base/bytes.ts';
import { OrderedMap } from '../base/ordered-map.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { objectBytes } from './cache.fixtures.ts';
import type { Entry } from './cache.ts';
import { describeJson } from './describe-json.ts';
import { makeEntry } from './entry.ts';
import { createNewEntrySlab, isLoose } from './entry-slab.ts';
import { Settler } from './settler.ts';

const FILLER = 'x'.repeat(900);

class TestState {
  readonly clock = new VirtualClock();
  readonly map = new OrderedMap<string, Entry>();
  /** Whether all entries were in slabs at the end of each pass. */
  readonly passes: boolean[] = [];
  readonly settler: Settler = new Settler({
    clock: this.clock,
    state: () => this,
    moved: () => this.passes.push(this.all().every(isInSlab)),
  });
  readonly #describe = describeJson();
  revision = 0;

  put(name: string, spec = FILLER, allocate?: Allocate): Entry {
    const entry = makeEntry(this.#describe, name, ++this.revision, objectBytes(name, {}, spec), allocate);
    this.settler.changed(this.map.set(name, entry) !== undefined);
    return entry;
  }

  remove(name: string): void {
    this.revision++;
    this.settler.changed(this.map.delete(name) !== undefined);
  }

  fill(count: number, spec = FILLER): void {
    for (let i = 0; i < count; i++) this.put(nameOf(i), spec);
  }

  /** Runs the passes that are due. */
  settle(): Promise<void> {
    return this.clock.advance(10_000);
  }

  all(): Entry[] {
    return this.map.page(undefined, undefined).values;
  }
}

/** Names whose order differs from the order in which they are put. */
function nameOf(i: number): string {
  return `${String((i * 7919) % 100_003).padStart(6, '0')}`;
}

function isInSlab({ bytes }: Entry): boolean {
  return bytes.buffer.byteLength > bytes.byteLength;
}

describe('the settler', () => {
  it('moves entries into slabs, in key order, with the same content', async () => {
    const state = new TestState();
    state.fill(2000);
    const before = state.all().map(({ bytes }) => bytes);
    const texts = before.map(decodeUtf8);
    await state.settle();
    const after = state.all();
    expect(after.every(isInSlab)).toBe(true);
    expect(after.map(({ bytes }) => decodeUtf8(bytes))).toEqual(texts);
    expect(before.map(decodeUtf8)).toEqual(texts);
    for (const [i, { bytes }] of after.entries()) {
      const last = after[i - 1]?.bytes;
      if (last?.buffer === bytes.buffer) expect(bytes.byteOffset).toBe(last.byteOffset + last.byteLength);
    }
    expect(new Set(after.map(({ bytes }) => bytes.buffer)).size).toBeLessThan(2000 / 25);
    expect(state.passes.at(-1)).toBe(true);
  });

  it('moves the entries of new objects out of their slabs', async () => {
    const state = new TestState();
    const { cut } = createNewEntrySlab();
    for (let i = 0; i < 2000; i++) state.put(nameOf(i), FILLER, cut);
    expect(state.all().every(({ bytes }) => isLoose(bytes))).toBe(true);
    await state.settle();
    expect(state.all().some(({ bytes }) => isLoose(bytes))).toBe(false);
  });

  it('empties slabs of new objects that are hardly used, also if it moves no others', async () => {
    const state = new TestState();
    const { cut } = createNewEntrySlab();
    const large = 'x'.repeat(3500);
    // More than a pass moves out of allocations of their own: 32 MiB.
    for (let i = 0; i < 12_000; i++) state.put(nameOf(i), large, cut);
    await state.settle();
    expect(state.all().every(({ bytes }) => isLoose(bytes))).toBe(true);
    // One of the four entries of each of the first slabs stays.
    for (let i = 0; i < 2000; i++) if (i % 4 !== 0) state.remove(nameOf(i));
    await state.settle();
    for (let i = 0; i < 2000; i += 4) expect(isLoose(state.map.get(nameOf(i))!.bytes)).toBe(false);
    expect(isLoose(state.map.get(nameOf(3000))!.bytes)).toBe(true);
  });

  it('leaves entries alone that have changed since the pass was scheduled, and large ones', async () => {
    const state = new TestState();
    state.fill(998);
    state.put('large', 'x'.repeat(20_000));
    state.put('scheduled');
    const recent = state.put(nameOf(3));
    await state.settle();
    expect(
      state
        .all()
        .filter((entry) => !isInSlab(entry))
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual([recent.key, 'large']);
  });

  it('empties slabs of which less than half belongs to current entries, also while many entries are replaced', async () => {
    const state = new TestState();
    state.fill(2000);
    await state.settle();
    const first = new Set(state.all().map(({ bytes }) => bytes.buffer));
    for (let i = 0; i < 2000; i++) if (i % 3 !== 0) state.put(nameOf(i));
    await state.settle();
    const after = state.all();
    const bySlab = new Map<ArrayBufferLike, number>();
    for (const { bytes } of after) bySlab.set(bytes.buffer, (bySlab.get(bytes.buffer) ?? 0) + bytes.byteLength);
    for (const slab of first) {
      const bytes = bySlab.get(slab);
      if (bytes !== undefined) expect(bytes * 2).toBeGreaterThanOrEqual(slab.byteLength);
    }
    expect(after.filter(({ bytes }) => first.has(bytes.buffer)).length).toBeLessThan(2000 / 6);
    expect(after.filter((entry) => !isInSlab(entry)).length).toBeGreaterThan(1000);
  });

  it('moves entries of events once few are replaced', async () => {
    const state = new TestState();
    state.fill(1200);
    for (let round = 0; round < 3; round++) {
      state.fill(1200);
      await state.clock.advance(1000);
    }
    expect(state.all().some(isInSlab)).toBe(false);
    await state.settle();
    state.fill(1000);
    await state.settle();
    expect(state.all().filter(isInSlab).length).toBeGreaterThanOrEqual(1000);
  });

  it('waits while entries are added quickly, but not for ever', async () => {
    const state = new TestState();
    let added = 0;
    const addFor = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        for (let j = 0; j < 1000; j++) state.put(nameOf(added++), '');
        await state.clock.advance(1000);
      }
    };
    await addFor(8);
    expect(state.passes).toEqual([]);
    await state.clock.advance(4000);
    expect(state.passes).toEqual([true]);
    await addFor(36);
    expect(state.passes).toEqual([true, false]);
  });

  it('moves nothing in a small cache, or after few changes', async () => {
    const small = new TestState();
    for (let round = 0; round < 5; round++) small.fill(900);
    await small.settle();
    expect(small.all().some(isInSlab)).toBe(false);
    const large = new TestState();
    large.fill(20_000, '');
    await large.settle();
    const changed = Array.from({ length: 1500 }, (_, i) => large.put(nameOf(i), ''));
    await large.settle();
    expect(changed.some(isInSlab)).toBe(false);
  });

  it('goes on with entries that are put and deleted during a pass', async () => {
    const state = new TestState();
    state.fill(5000, '');
    await state.clock.advance(2002);
    for (let i = 0; i < 5000; i += 2) state.map.delete(nameOf(i));
    state.put('zzz', '');
    await state.settle();
    const left = state.all();
    expect(left).toHaveLength(2501);
    for (const { key, bytes } of left) expect(decodeUtf8(bytes)).toContain(`"name":"${key}"`);
  });

  it('ends with the cache', async () => {
    const state = new TestState();
    state.fill(2000);
    state.settler.stop();
    await state.settle();
    state.fill(2000);
    await state.settle();
    expect(state.all().some(isInSlab)).toBe(false);
  });
});
