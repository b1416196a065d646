import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { OrderedMap } from '../base/ordered-map.ts';
import type { PutEvent } from '../storage/storage.ts';
import { objectBytes } from './cache.fixtures.ts';
import type { Entry } from './cache.ts';
import { CacheState } from './cache-state.ts';
import { describeJson } from './describe-json.ts';

function put(name: string, revision: number, created = revision): PutEvent {
  return { type: 'put', key: name, value: objectBytes(name), revision, created };
}

function filledState(entries: number): CacheState {
  const window = { events: 10, bytes: 1_000_000 };
  const state = new CacheState(new OrderedMap<string, Entry>(), 0, {
    describe: describeJson(),
    window,
    onDrop: () => {},
  });
  for (let i = 1; i <= entries; i++) state.apply(put(`object-${i}`, i));
  return state;
}

/** Whether the entry shares its memory with others. */
function isShared(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.bytes.buffer.byteLength > entry.bytes.byteLength;
}

describe('the state of a cache', () => {
  it('has the entries of new objects in slabs once there are many, and those of changed objects not', () => {
    const state = filledState(1100);
    expect(isShared(state.map.get('object-1'))).toBe(false);
    expect(isShared(state.map.get('object-1100'))).toBe(true);
    state.apply(put('object-1100', 1101, 1100));
    expect(isShared(state.map.get('object-1100'))).toBe(false);
  });

  it('prepares the same entries as it makes', () => {
    const state = filledState(1001);
    const events = [put('a', 1002), put('object-1', 1003, 1)];
    state.prepare(events);
    for (const event of events) state.apply(event);
    expect([isShared(state.map.get('a')), isShared(state.map.get('object-1'))]).toEqual([true, false]);
    expect(state.map.get('a')?.bytes.length).toBe(
      encodeUtf8('"resourceVersion":"1002",').length + objectBytes('a').length,
    );
  });
});
