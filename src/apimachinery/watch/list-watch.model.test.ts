/** The list-then-watch machine against a simulated server whose whole history is known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { createListWatch, stepListWatch } from './list-watch.ts';
import type { Delivery, Effect, Input, ListEffect, State, WatchEffect } from './list-watch-state.ts';
import { createBookmark, resourceVersionOf, type WatchEvent } from './watch-event.ts';
import { type Failure, statusFailure } from './watch-failure.ts';

interface Change {
  readonly revision: number;
  readonly key: string;
  readonly deleted: boolean;
}

function objectOf(change: Change): JsonObject {
  return { metadata: { name: change.key, resourceVersion: String(change.revision) } };
}

function keyOf(object: JsonObject): string {
  return String((object['metadata'] as JsonObject)['name']);
}

const EXPIRED = { code: 410, reason: 'Expired' };
const TOO_LARGE = { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };

/** All changes ever, and the horizon below which the server pretends to have forgotten them. */
class SimulatedServer {
  readonly changes: Change[] = [];
  revision = 10;
  horizon = 10;

  write(key: string): void {
    this.changes.push({ revision: ++this.revision, key, deleted: false });
  }

  delete(key: string): void {
    if (!this.stateAt(this.revision).has(key)) return;
    this.changes.push({ revision: ++this.revision, key, deleted: true });
  }

  stateAt(revision: number): Map<string, Change> {
    const state = new Map<string, Change>();
    for (const change of this.changes) {
      if (change.revision > revision) break;
      if (change.deleted) state.delete(change.key);
      else state.set(change.key, change);
    }
    return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  nextAfter(revision: number): Change | undefined {
    return this.changes.find((change) => change.revision > revision);
  }

  typeOf(change: Change): 'ADDED' | 'MODIFIED' | 'DELETED' {
    if (change.deleted) return 'DELETED';
    return this.stateAt(change.revision - 1).has(change.key) ? 'MODIFIED' : 'ADDED';
  }

  /** `chance` picks among the states the request allows; `strict` servers refuse a named revision that is compacted. */
  list(request: ListEffect, chance: number, strict: boolean): Partial<Input> {
    let revision = this.revision;
    let after = '';
    if (request.continueToken !== '') {
      const [at, last] = request.continueToken.split('/') as [string, string];
      revision = Number(at);
      after = last;
      if (revision < this.horizon) return { type: 'list-failed', failure: statusFailure(EXPIRED) };
    } else if (request.resourceVersion !== '') {
      const least = Number(request.resourceVersion);
      if (least > this.revision) return { type: 'list-failed', failure: statusFailure(TOO_LARGE) };
      if (strict && least !== 0 && least < this.horizon) {
        return { type: 'list-failed', failure: statusFailure(EXPIRED) };
      }
      const from = Math.max(least, this.horizon);
      revision = from + (chance % (this.revision - from + 1));
    }
    const rest = [...this.stateAt(revision).values()].filter((change) => change.key > after);
    const items = request.limit > 0 ? rest.slice(0, request.limit) : rest;
    const more = items.length < rest.length;
    return {
      type: 'page',
      items: items.map(objectOf),
      resourceVersion: String(revision),
      continueToken: more ? `${revision}/${items.at(-1)?.key}` : '',
    };
  }
}

/** What one open watch still has to send. */
interface OpenWatch {
  readonly turn: number;
  readonly pending: WatchEvent[];
  cursor: number;
  /** True while the bookmark that ends the initial events is due. */
  initial: boolean;
}

/** The consumer: a store replaced at init-done, and the checks on every delivery. */
class Consumer {
  readonly #server: SimulatedServer;
  store: Map<string, number> = new Map();
  #buffer: Map<string, number> | undefined;
  /** Up to here the store is what the server had. */
  cursor = -1;
  deliveries = 0;

  constructor(server: SimulatedServer) {
    this.#server = server;
  }

  receive(delivery: Delivery): void {
    this.deliveries++;
    switch (delivery.type) {
      case 'init':
        this.#buffer = new Map();
        return;
      case 'init-apply':
        this.#buffer?.set(keyOf(delivery.object), Number(resourceVersionOf(delivery.object)));
        return;
      case 'init-delete':
        this.#buffer?.delete(keyOf(delivery.object));
        return;
      case 'init-done': {
        const revision = Number(delivery.resourceVersion);
        expect(revision).toBeGreaterThanOrEqual(this.cursor);
        expect(this.#buffer).toBeDefined();
        this.store = this.#buffer ?? new Map();
        this.#buffer = undefined;
        this.cursor = revision;
        this.expectEqualTo(revision);
        return;
      }
      case 'init-changes':
      case 'changes':
        for (const { type, object } of delivery.events) {
          const change = type === 'DELETED' ? 'delete' : 'apply';
          this.receive({ type: delivery.type === 'changes' ? change : `init-${change}`, object });
        }
        return;
      case 'apply':
      case 'delete': {
        expect(this.#buffer).toBeUndefined();
        // Exactly the next change: nothing missed, nothing twice, in order.
        const next = this.#server.nextAfter(this.cursor);
        expect({
          key: keyOf(delivery.object),
          revision: resourceVersionOf(delivery.object),
          type: delivery.type,
        }).toEqual({
          key: next?.key,
          revision: String(next?.revision),
          type: next?.deleted ? 'delete' : 'apply',
        });
        this.cursor = next?.revision ?? this.cursor;
        if (delivery.type === 'delete') this.store.delete(keyOf(delivery.object));
        else this.store.set(keyOf(delivery.object), this.cursor);
        return;
      }
      case 'bookmark': {
        const revision = Number(delivery.resourceVersion);
        expect(this.#server.nextAfter(this.cursor)?.revision ?? Number.POSITIVE_INFINITY).toBeGreaterThan(revision);
        this.cursor = Math.max(this.cursor, revision);
        return;
      }
    }
  }

  expectEqualTo(revision: number): void {
    const expected = [...this.#server.stateAt(revision)].map(([key, change]) => [key, change.revision]);
    expect([...this.store].sort()).toEqual(expected.sort());
  }
}

interface Setup {
  readonly streamingClient: boolean;
  readonly streamingServer: boolean;
  readonly bookmarks: boolean;
  readonly strict: boolean;
  readonly pageSize: number | 'automatic';
  readonly firstList: 'any' | 'newest';
}

const OPERATIONS = [
  'write',
  'write',
  'delete',
  'compact',
  'answer',
  'answer',
  'answer',
  'answer',
  'bookmark',
  'end',
  'break',
  'error',
  'expire',
] as const;

interface Move {
  readonly operation: (typeof OPERATIONS)[number];
  readonly chance: number;
}

const FAILURES: readonly Failure[] = [
  { kind: 'transport', message: 'connection reset' },
  statusFailure({ code: 500, reason: 'InternalError' }),
  statusFailure({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } }),
  statusFailure({ code: 503, reason: 'ServiceUnavailable' }),
  statusFailure(EXPIRED),
  statusFailure(TOO_LARGE),
];

class Simulation {
  readonly server: SimulatedServer = new SimulatedServer();
  readonly consumer: Consumer = new Consumer(this.server);
  readonly #setup: Setup;
  state: State;
  #list: ListEffect | undefined;
  #watch: OpenWatch | undefined;
  #timer: number | undefined;
  #now = 0;
  restarts = 0;
  resumed = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    for (const key of ['a', 'b', 'c', 'd', 'e']) this.server.write(key);
    this.state = createListWatch({
      streamingList: setup.streamingClient,
      pageSize: setup.pageSize,
      firstList: setup.firstList,
    });
    this.#feed({ type: 'start' }, 0);
  }

  move({ operation, chance }: Move): void {
    this.#now += chance * 7;
    const key = String.fromCharCode(97 + (chance % 8));
    switch (operation) {
      case 'write':
        this.server.write(key);
        return;
      case 'delete':
        this.server.delete(key);
        return;
      case 'compact':
        this.server.horizon += chance % (this.server.revision - this.server.horizon + 1);
        return;
      case 'answer':
        this.answer(chance);
        return;
      case 'bookmark':
        this.#bookmark(chance);
        return;
      case 'end':
        if (this.#watch !== undefined) this.#feed({ type: 'watch-ended' }, chance);
        return;
      case 'break':
        this.#fail(FAILURES[0] as Failure, chance);
        return;
      case 'error':
        this.#fail(FAILURES[chance % FAILURES.length] as Failure, chance);
        return;
      case 'expire':
        if (this.#watch !== undefined) this.#feed({ type: 'event', event: { type: 'ERROR', object: EXPIRED } }, chance);
        return;
    }
  }

  /** Lets whatever is in progress take its next good step. */
  answer(chance: number): void {
    if (this.#list !== undefined) {
      this.#feed(this.server.list(this.#list, chance, this.#setup.strict), chance);
    } else if (this.#timer !== undefined) {
      this.#feed({ type: 'elapsed' }, chance);
    } else if (this.#watch !== undefined) {
      const events = this.#nextEvents(this.#watch, chance % 4);
      if (events.length > 0) this.#feed({ type: 'events', events }, chance);
      else {
        const event = this.#nextEvent(this.#watch);
        if (event !== undefined) this.#feed({ type: 'event', event }, chance);
      }
    }
  }

  #nextEvents(watch: OpenWatch, count: number): WatchEvent[] {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = this.#nextEvent(watch);
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  #nextEvent(watch: OpenWatch): WatchEvent | undefined {
    const pending = watch.pending.shift();
    if (pending !== undefined) return pending;
    const change = this.server.nextAfter(watch.cursor);
    if (change === undefined) {
      if (!watch.initial) return undefined;
      watch.initial = false;
      return createBookmark(KIND, String(watch.cursor), { initialEventsEnd: true });
    }
    watch.cursor = change.revision;
    return { type: this.server.typeOf(change), object: objectOf(change) };
  }

  /** A bookmark says that all up to its revision was sent. */
  #bookmark(chance: number): void {
    const watch = this.#watch;
    if (watch === undefined || watch.pending.length > 0) return;
    if (!watch.initial && !this.#setup.bookmarks) return;
    const event = createBookmark(KIND, String(watch.cursor), { initialEventsEnd: watch.initial && chance % 2 === 0 });
    if (chance % 2 === 0) watch.initial = false;
    this.#feed({ type: 'event', event }, chance);
  }

  #fail(failure: Failure, chance: number): void {
    if (this.#list !== undefined) this.#feed({ type: 'list-failed', failure }, chance);
    else if (this.#watch !== undefined) this.#feed({ type: 'watch-failed', failure }, chance);
  }

  #feed(input: Partial<Input>, chance: number): void {
    const turn = 'memory' in this.state ? this.state.memory.turn : 0;
    const step = stepListWatch(this.state, { turn, ...input } as Input, {
      now: this.#now,
      random: (chance % 100) / 100,
    });
    this.state = step.state;
    for (const effect of step.effects) this.#perform(effect, chance);
  }

  #perform(effect: Effect, chance: number): void {
    switch (effect.type) {
      case 'list':
        this.#clear();
        this.#list = effect;
        return;
      case 'watch':
        this.#clear();
        this.#open(effect, chance);
        return;
      case 'wait':
        this.#clear();
        expect(effect.ms).toBeLessThanOrEqual(60_000);
        this.#timer = effect.turn;
        return;
      case 'cancel':
        this.#clear();
        return;
      case 'report':
        return;
      case 'init':
        this.restarts++;
        this.consumer.receive(effect);
        return;
      default:
        this.consumer.receive(effect);
        return;
    }
  }

  #clear(): void {
    this.#list = undefined;
    this.#watch = undefined;
    this.#timer = undefined;
  }

  #open(effect: WatchEffect, chance: number): void {
    const { server } = this;
    const from = Number(effect.resourceVersion === '' ? 0 : effect.resourceVersion);
    if (effect.sendInitialEvents) {
      if (!this.#setup.streamingServer) {
        this.#refuse(effect, { code: 422, reason: 'Invalid' });
        return;
      }
      if (from > server.revision) {
        this.#refuse(effect, TOO_LARGE);
        return;
      }
      const least = effect.resourceVersion === '' ? server.revision : Math.max(from, server.horizon);
      const revision = least + (chance % (server.revision - least + 1));
      const pending = [...server.stateAt(revision).values()].map(
        (change): WatchEvent => ({ type: 'ADDED', object: objectOf(change) }),
      );
      this.#watch = { turn: effect.turn, pending, cursor: revision, initial: true };
      return;
    }
    this.resumed++;
    // The protocol's promise: a plain watch continues exactly where the consumer is.
    expect(from).toBe(this.consumer.cursor);
    this.#watch = { turn: effect.turn, pending: [], cursor: from, initial: false };
    if (from < server.horizon) {
      if (chance % 2 === 0) this.#watch.pending.push({ type: 'ERROR', object: EXPIRED });
      else this.#refuse(effect, EXPIRED);
    }
  }

  #refuse(effect: WatchEffect, status: JsonObject): void {
    this.#watch = undefined;
    this.#feed({ type: 'watch-failed', turn: effect.turn, failure: statusFailure(status) }, effect.turn);
  }

  /** With no more faults, the copy must become equal within a bounded number of steps. */
  settle(): void {
    for (let i = 0; i < 1000; i++) {
      const done = this.#watch !== undefined && this.state.phase === 'watching';
      if (done && this.server.nextAfter(this.consumer.cursor) === undefined) return;
      this.#now += 1500;
      this.answer(i);
    }
    expect.fail(`not settled: ${JSON.stringify(this.state)}`);
  }
}

const KIND = { apiVersion: 'v1', kind: 'Pod' };

const setups: fc.Arbitrary<Setup> = fc.record({
  streamingClient: fc.boolean(),
  streamingServer: fc.boolean(),
  bookmarks: fc.boolean(),
  strict: fc.boolean(),
  pageSize: fc.constantFrom<(number | 'automatic')[]>(0, 1, 2, 3, 'automatic'),
  firstList: fc.constantFrom('any', 'newest'),
});

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({ operation: fc.constantFrom(...OPERATIONS), chance: fc.nat(1000) }),
  { maxLength: 200, size: 'max' },
);

describe('the list-then-watch machine against a simulated server', () => {
  it('delivers every change once and in order, and ends with the state of the server', () => {
    const seen = { restarts: 0, resumed: 0, deliveries: 0, changes: 0 };
    fc.assert(
      fc.property(setups, moves, (setup, script) => {
        const simulation = new Simulation(setup);
        for (const move of script) simulation.move(move);
        simulation.settle();
        simulation.consumer.expectEqualTo(simulation.server.revision);
        seen.restarts += simulation.restarts;
        seen.resumed += simulation.resumed;
        seen.deliveries += simulation.consumer.deliveries;
        seen.changes += simulation.server.changes.length;
      }),
      { seed: 20_261, numRuns: 500 },
    );
    // The script must reach what it is about: restarts, resumed watches and many changes.
    expect(seen.restarts).toBeGreaterThan(2000);
    expect(seen.resumed).toBeGreaterThan(1000);
    expect(seen.deliveries).toBeGreaterThan(10_000);
    expect(seen.changes).toBeGreaterThan(5000);
  });
});
