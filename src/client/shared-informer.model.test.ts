/** Informers against a simulated server whose requests are cut, expire, fail and fall silent at random. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../apimachinery/status/status.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import type { EventHandler } from './informer.ts';
import type { Stored } from './object-types.ts';
import { SharedInformer } from './shared-informer.ts';
import { connectionReset, EXPIRED, garbage, SimulatedSource, THING, type Thing } from './simulated-source.fixtures.ts';

/**
 * A handler that keeps a copy of the collection from notifications alone. It checks each of them against the copy: an
 * add is of an object that it does not have, an update begins where the last one ended, and revisions only grow.
 */
class Copy implements EventHandler<Thing> {
  readonly objects = new Map<string, Stored<Thing>>();
  readonly #newest = new Map<string, number>();
  readonly #wait: (() => Promise<void>) | undefined;
  #running = 0;
  calls = 0;

  constructor(wait?: () => Promise<void>) {
    this.#wait = wait;
  }

  onAdd(object: Stored<Thing>): void | Promise<void> {
    expect(this.objects.has(object.metadata.name)).toBe(false);
    this.#advance(object);
    this.objects.set(object.metadata.name, object);
    return this.#call();
  }

  onUpdate(before: Stored<Thing>, after: Stored<Thing>): void | Promise<void> {
    expect(this.objects.get(after.metadata.name)).toBe(before);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    this.#advance(after);
    this.objects.set(after.metadata.name, after);
    return this.#call();
  }

  onDelete(
    object: Stored<Thing>,
    { isFinalStateKnown }: { readonly isFinalStateKnown: boolean },
  ): void | Promise<void> {
    const known = this.objects.get(object.metadata.name);
    expect(known?.metadata.uid).toBe(object.metadata.uid);
    if (!isFinalStateKnown) expect(known).toBe(object);
    this.objects.delete(object.metadata.name);
    return this.#call();
  }

  #advance({ metadata }: Stored<Thing>): void {
    const revision = Number(metadata.resourceVersion);
    expect(revision).toBeGreaterThan(this.#newest.get(metadata.name) ?? 0);
    this.#newest.set(metadata.name, revision);
  }

  #call(): void | Promise<void> {
    this.calls++;
    return this.#wait === undefined ? undefined : this.#slowly(this.#wait);
  }

  async #slowly(wait: () => Promise<void>): Promise<void> {
    expect(++this.#running).toBe(1);
    await wait();
    this.#running--;
    if (this.calls % 5 === 0) throw new TypeError(HANDLER_FAILURE);
  }
}

/** A clock whose wall time is set to any time, as by an operator or after a suspension. Its monotonic time is not. */
class SetClock extends VirtualClock {
  offset = 0;

  override now(): number {
    return super.now() + this.offset;
  }
}

const HANDLER_FAILURE = 'a handler that fails';

const OPERATIONS = [
  ...['write', 'write', 'write', 'delete', 'send', 'send', 'advance', 'advance'],
  ...[
    'sendOne',
    'bookmark',
    'end',
    'cut',
    'garbage',
    'expire',
    'compact',
    'die',
    'refuse',
    'streams',
    'handler',
    'jump',
  ],
] as const;

interface Move {
  readonly operation: string;
  readonly chance: number;
}

class Simulation {
  readonly source = new SimulatedSource();
  readonly clock = new SetClock();
  readonly informer: SharedInformer<Thing>;
  readonly copies: Copy[] = [new Copy(), new Copy(slow(this.clock))];
  failures = 0;
  /** The failed checks of handlers. */
  readonly unexpected: Error[] = [];

  constructor() {
    for (const name of ['a', 'b', 'c']) this.source.write(name);
    this.informer = new SharedInformer<Thing>({
      kind: THING,
      source: this.source,
      clock: this.clock,
      random: () => 0.5,
      indexes: { value: ({ value }) => [String(value)] },
      onFailure: (error, from) => {
        this.failures++;
        if (from !== 'reflector' && error.message !== HANDLER_FAILURE) this.unexpected.push(error);
      },
    });
    for (const copy of this.copies) this.informer.addHandler(copy);
    this.informer.start();
  }

  async move({ operation, chance }: Move): Promise<void> {
    const { source } = this;
    const name = String.fromCharCode(97 + (chance % 6));
    if (operation === 'write') source.write(name, chance % 3);
    else if (operation === 'delete') source.delete(name);
    else if (operation === 'send') source.send();
    else if (operation === 'sendOne') source.send(1);
    else if (operation === 'bookmark') source.sendBookmarks();
    else if (operation === 'end') source.end();
    else if (operation === 'cut') source.end(connectionReset());
    else if (operation === 'garbage') source.end(garbage());
    else if (operation === 'expire') source.sendError(EXPIRED);
    else if (operation === 'compact') source.compact();
    else if (operation === 'die') source.die();
    else if (operation === 'refuse') source.failures.push(FAILURES[chance % FAILURES.length] as Error);
    else if (operation === 'streams') source.streams = chance % 2 === 0;
    else if (operation === 'handler') this.#addCopy(chance);
    else if (operation === 'jump') this.clock.offset += (chance - 500) * 3_600_000;
    else await this.clock.advance(chance * 20);
    await settle();
  }

  #addCopy(chance: number): void {
    if (this.copies.length >= 5) return;
    const copy = chance % 2 === 0 ? new Copy() : new Copy(slow(this.clock));
    this.copies.push(copy);
    this.informer.addHandler(copy);
  }

  /** Without further faults, time alone must make the copies equal to the server. */
  async settle(): Promise<void> {
    this.source.failures.length = 0;
    for (let i = 0; i < 200; i++) {
      await this.clock.advance(20_000);
      this.source.send();
    }
    await this.clock.advance(60_000);
  }

  check(): void {
    expect(this.unexpected).toEqual([]);
    const expected = [...this.source.state().values()].map((object) => object as unknown as Stored<Thing>);
    const byName = (list: Iterable<Stored<Thing>>): unknown[] =>
      [...list].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const { store } = this.informer;
    expect(byName(store.list())).toEqual(byName(expected));
    expect(this.informer.lastFailure).toBeUndefined();
    for (const copy of this.copies) expect(byName(copy.objects.values())).toEqual(byName(store.list()));
    for (const value of [0, 1, 2])
      expect(byName(store.byIndex('value', String(value)))).toEqual(byName(expected.filter((o) => o.value === value)));
  }
}

const FAILURES: readonly Error[] = [
  connectionReset(),
  garbage(),
  new StatusError(EXPIRED),
  new StatusError({ ...EXPIRED, reason: 'InternalError', code: 500 }),
  new StatusError({ ...EXPIRED, reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 2 } }),
];

function slow(clock: Clock): () => Promise<void> {
  return () => sleep(clock, 700);
}

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({ operation: fc.constantFrom(...OPERATIONS), chance: fc.nat(1000) }),
  { maxLength: 80, size: 'max' },
);

describe('an informer of a server that fails at random', () => {
  it('ends with the objects of the server, and so does every handler', async () => {
    const seen = { failures: 0, calls: 0, requests: 0 };
    await fc.assert(
      fc.asyncProperty(moves, async (script) => {
        const simulation = new Simulation();
        for (const move of script) await simulation.move(move);
        await simulation.settle();
        simulation.check();
        await simulation.informer.stop();
        expect(simulation.clock.pendingTimers).toBe(0);
        expect(simulation.source.openWatches).toBeLessThanOrEqual(script.length);
        seen.failures += simulation.failures;
        seen.calls += simulation.copies.reduce((sum, copy) => sum + copy.calls, 0);
        seen.requests += simulation.source.requests.length;
      }),
      { seed: 20_262, numRuns: 400 },
    );
    // The scripts must have caused enough failures and calls.
    expect(seen.failures).toBeGreaterThan(3000);
    expect(seen.calls).toBeGreaterThan(8000);
    expect(seen.requests).toBeGreaterThan(5000);
  }, 60_000);
});
