import { expect, test } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { OrderedMap } from '../base/ordered-map.ts';
import type { Entry } from './cache.ts';
import { CacheState } from './cache-state.ts';
import { describeJson } from './describe-json.ts';
import { makeEntry } from './entry.ts';
import { ExpectedEntries } from './expected-entries.ts';

const VALUE = encodeUtf8('{"metadata":{"name":"a"}}');

function entryAt(revision: number, value: Uint8Array = VALUE): Entry {
  return makeEntry(describeJson(), 'k/a', revision, value);
}

test('an entry is used once, for the bytes and the revision that it was made of', () => {
  const expected = new ExpectedEntries();
  const entry = entryAt(7);
  expected.add(entry, VALUE);
  expect(expected.take('k/b', 7, VALUE)).toBeUndefined();
  expect(expected.take('k/a', 7, VALUE)).toBe(entry);
  expect(expected.take('k/a', 7, VALUE)).toBeUndefined();
});

test('an event of another revision or with other bytes does not get the entry', () => {
  const expected = new ExpectedEntries();
  expected.add(entryAt(7), VALUE);
  expect(expected.take('k/a', 8, VALUE)).toBeUndefined();
  expected.add(entryAt(9), VALUE);
  expect(expected.take('k/a', 9, VALUE.slice())).toBeUndefined();
});

test('large entries are not kept', () => {
  const expected = new ExpectedEntries();
  const large = encodeUtf8(`{"metadata":{"name":"a"},"data":"${'x'.repeat(70_000)}"}`);
  expected.add(entryAt(7, large), large);
  expect(expected.take('k/a', 7, large)).toBeUndefined();
});

test('a state uses the entry of a write for its event, and makes the entry of any other event', () => {
  const expected = new ExpectedEntries();
  const window = { events: 10, bytes: 1000 };
  const state = new CacheState(new OrderedMap<string, Entry>(), 1, {
    describe: describeJson(),
    window,
    onDrop: () => undefined,
    expected,
  });
  const entry = entryAt(7);
  expected.add(entry, VALUE);
  expect(state.apply({ type: 'put', key: 'k/a', value: VALUE, revision: 7, created: 7 })?.entry).toBe(entry);
  expect(state.map.get('k/a')).toBe(entry);
  expected.add(entryAt(8), VALUE);
  // Another server has written other bytes.
  const other = encodeUtf8('{"metadata":{"name":"a"},"data":1}');
  state.apply({ type: 'put', key: 'k/a', value: other, revision: 9, created: 7 });
  expect(state.map.get('k/a')).toEqual(makeEntry(describeJson(), 'k/a', 9, other));
});
