import { expect, it } from 'vitest';
import type { StorageEvent } from '../storage/storage.ts';
import type { Entry } from './cache.ts';
import { EMPTY_FACTS } from './facts.ts';
import { PreparedEntries } from './prepared-entries.ts';

const value = new Uint8Array(0);

function put(key: string, revision: number): StorageEvent {
  return { type: 'put', key, value, revision, created: revision, previous: undefined };
}

function make({ key, revision }: StorageEvent): Entry {
  return { key, revision, bytes: value, splice: 0, facts: EMPTY_FACTS, broken: undefined };
}

it('an entry is taken once, in the order of the events', () => {
  const entries = new PreparedEntries();
  const events = [put('a', 1), put('b', 2)] as const;
  entries.prepare(events, make);
  expect(entries.take(events[1])).toBeUndefined();
  expect(entries.take(events[0])?.key).toBe('a');
  expect(entries.take(events[0])).toBeUndefined();
  expect(entries.take(events[1])?.key).toBe('b');
  expect(entries.take(events[1])).toBeUndefined();
});

it('a deletion has no entry, and those behind it are found', () => {
  const entries = new PreparedEntries();
  const deletion: StorageEvent = {
    type: 'delete',
    key: 'a',
    revision: 1,
    previous: { key: 'a', value, revision: 1, created: 1 },
  };
  const next = put('b', 2);
  entries.prepare([deletion, next], (event) => (event.type === 'put' ? make(event) : undefined));
  expect(entries.take(deletion)).toBeUndefined();
  expect(entries.take(next)?.key).toBe('b');
});

it('an equal event of another commit does not get an entry', () => {
  const entries = new PreparedEntries();
  entries.prepare([put('a', 1)], make);
  expect(entries.take(put('a', 1))).toBeUndefined();
  const event = put('a', 1);
  entries.prepare([event], make);
  expect(entries.take(event)?.revision).toBe(1);
});
