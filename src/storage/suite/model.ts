/**
 * A naive model of the storage interface: a map of keys for every revision, and the events between revisions. It has no
 * indexes and drops no history, so that a reader can compare it with `storage.ts`.
 */
import { equalBytes } from '../../base/bytes.ts';
import type { Check, TransactionResult, Write } from '../embedded-storage.ts';
import type { DeleteResult, KeyValue, Revision, StorageEvent, WriteResult } from '../storage.ts';
import { expectTrue } from '../suite-assert.ts';
import { lines, text } from './context.ts';

/** The earliest time at which a key may expire, and the time from which it must expire. */
export interface Due {
  readonly earliest: number;
  readonly latest: number;
}

export interface ModelItem {
  readonly item: KeyValue;
  readonly due: Due | undefined;
}

export type ModelState = ReadonlyMap<string, ModelItem>;

/** A write of a script, with absolute revisions. */
export type ModelWrite =
  | {
      readonly op: 'write';
      readonly key: string;
      readonly expected: Revision;
      readonly value: Uint8Array;
      readonly ttlMs: number | undefined;
      /** The writer passed no seen bytes to a driver that compares with them: equal bytes are then a change. */
      readonly blind?: boolean;
    }
  | { readonly op: 'delete'; readonly key: string; readonly expected: Revision | undefined }
  | { readonly op: 'transact'; readonly checks: readonly Check[]; readonly writes: readonly Write[] };

export type ModelResult = WriteResult | DeleteResult | TransactionResult;

export interface Evaluation {
  readonly result: ModelResult;
  /** The state and the events of the next revision; undefined if nothing changes. */
  readonly next: { readonly state: ModelState; readonly events: readonly StorageEvent[] } | undefined;
}

/**
 * The times at which a write began and ended, and the keys for which equal bytes count as a change (normally none).
 */
export interface Circumstances {
  readonly from: number;
  readonly to: number;
  readonly forced?: ReadonlySet<string>;
}

/** The result of a write on the state of this revision. */
export function evaluate(state: ModelState, revision: Revision, write: ModelWrite, time: Circumstances): Evaluation {
  const revisionOf = (key: string): Revision => state.get(key)?.item.revision ?? 0;
  const changed = (next: Evaluation['next']): Evaluation => ({
    result: { outcome: 'ok', revision: revision + 1, changed: true },
    next,
  });
  switch (write.op) {
    case 'write': {
      const current = state.get(write.key)?.item;
      if (revisionOf(write.key) !== write.expected)
        return { result: { outcome: 'conflict', current, revision }, next: undefined };
      const { key, value, ttlMs } = write;
      const next = change(
        state,
        revision + 1,
        [{ type: 'put', key, value, ...(ttlMs === undefined ? {} : { ttlMs }) }],
        write.blind ? { ...time, forced: new Set([key]) } : time,
      );
      return next === undefined
        ? { result: { outcome: 'ok', revision: write.expected, changed: false }, next }
        : changed(next);
    }
    case 'delete': {
      const current = state.get(write.key)?.item;
      if (current === undefined) return { result: { outcome: 'missing', revision }, next: undefined };
      if (write.expected !== undefined && write.expected !== current.revision)
        return { result: { outcome: 'conflict', current, revision }, next: undefined };
      const next = change(state, revision + 1, [{ type: 'delete', key: write.key }], time);
      return { result: { outcome: 'ok', revision: revision + 1, deleted: current }, next };
    }
    case 'transact': {
      if (write.checks.some((check) => revisionOf(check.key) !== check.revision)) {
        const current = write.checks.map((check) => state.get(check.key)?.item);
        return { result: { outcome: 'conflict', current, revision }, next: undefined };
      }
      const next = change(state, revision + 1, write.writes, time);
      return next === undefined ? { result: { outcome: 'ok', revision, changed: false }, next } : changed(next);
    }
  }
}

/** Returns the state after these writes; undefined if they change nothing. */
export function change(
  before: ModelState,
  revision: Revision,
  writes: readonly Write[],
  time: Circumstances,
): Evaluation['next'] {
  const state = new Map(before);
  const events: StorageEvent[] = [];
  for (const write of writes) {
    const { key } = write;
    const old = before.get(key);
    const previous = old?.item;
    if (write.type === 'delete') {
      if (previous === undefined) continue;
      state.delete(key);
      events.push({ type: 'delete', key, revision, previous });
      continue;
    }
    const { value, ttlMs } = write;
    const equal = old !== undefined && equalBytes(old.item.value, value) && !time.forced?.has(key);
    if (equal && ttlMs === undefined && old.due === undefined) continue;
    const item: KeyValue = { key, value, revision, created: previous?.created ?? revision };
    const due = ttlMs === undefined ? undefined : { earliest: time.from + ttlMs, latest: time.to + ttlMs };
    state.set(key, { item, due });
    events.push({ type: 'put', key, value, revision, created: item.created, previous });
  }
  return events.length === 0 ? undefined : { state, events };
}

export interface ModelPage {
  readonly items: readonly KeyValue[];
  readonly next: string | undefined;
  readonly remaining: number;
}

export class Model {
  /** The states of the first revision and of those after it. All earlier states are empty. */
  readonly #states: ModelState[] = [new Map()];
  readonly #events: (readonly StorageEvent[])[] = [[]];
  readonly first: Revision;

  /** An empty store whose revision is `first`. */
  constructor(first: Revision) {
    this.first = first;
  }

  get revision(): Revision {
    return this.first + this.#states.length - 1;
  }

  /** A copy up to and including a revision. */
  cut(revision: Revision): Model {
    const copy = new Model(this.first);
    for (let i = 1; i <= revision - this.first; i++) copy.append({ state: this.#states[i]!, events: this.#events[i]! });
    return copy;
  }

  at(revision: Revision): ModelState {
    const state = this.#states[Math.max(0, revision - this.first)];
    expectTrue(state !== undefined, `revision ${revision} exists, the last one is ${this.revision}`);
    return state;
  }

  get now(): ModelState {
    return this.at(this.revision);
  }

  append(next: NonNullable<Evaluation['next']>): void {
    this.#states.push(next.state);
    this.#events.push(next.events);
  }

  /** The events above a revision whose keys have one of the prefixes, in order. */
  eventsAfter(revision: Revision, prefixes: readonly string[]): StorageEvent[] {
    return this.#events
      .slice(Math.max(0, revision - this.first + 1))
      .flatMap((events) => events.filter(({ key }) => covers(prefixes, key)));
  }

  /** The items of a state whose keys have one of the prefixes, in key order. */
  items(revision: Revision, prefixes: readonly string[], start = ''): KeyValue[] {
    return [...this.at(revision).values()]
      .map(({ item }) => item)
      .filter(({ key }) => covers(prefixes, key) && key >= start)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  page(revision: Revision, range: { prefix: string; start?: string }, limit: number): ModelPage {
    const all = this.items(revision, [range.prefix], range.start);
    const items = limit > 0 ? all.slice(0, limit) : all;
    return { items, next: all[items.length]?.key, remaining: all.length - items.length };
  }
}

function covers(prefixes: readonly string[], key: string): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix));
}

/**
 * Any result of a store as text, for comparisons. Items are short lines; an absent property equals an undefined one.
 */
export function describe(answer: unknown): string {
  if (answer instanceof Uint8Array) return JSON.stringify(text(answer));
  if (Array.isArray(answer)) return `[${answer.map(describe).join(', ')}]`;
  if (typeof answer !== 'object' || answer === null) return JSON.stringify(answer) ?? 'undefined';
  if (isItem(answer)) return answer.stale ? `${lines([answer])[0]} stale` : lines([answer])[0]!;
  const fields = Object.entries(answer).filter(([, value]) => value !== undefined);
  return `{ ${fields
    .map(([name, value]) => `${name}: ${describe(value)}`)
    .sort()
    .join(', ')} }`;
}

function isItem(part: object): part is KeyValue {
  return 'created' in part && 'value' in part && !('type' in part);
}
