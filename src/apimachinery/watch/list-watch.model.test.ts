/** The list-then-watch machine against a simulated server whose whole history is known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { createListWatch, stepListWatch } from './list-watch.ts';
import {
  Consumer,
  EXPIRED,
  type OpenWatch,
  objectOf,
  SimulatedServer,
  TOO_LARGE,
} from './list-watch-server.fixtures.ts';
import type { Effect, Input, ListEffect, State, WatchEffect } from './list-watch-state.ts';
import { createBookmark, type WatchEvent } from './watch-event.ts';
import { type Failure, statusFailure } from './watch-failure.ts';

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
