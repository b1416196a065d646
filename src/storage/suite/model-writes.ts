/**
 * Writes of the model test: begun now, taken into the model in the order of their revisions when all is quiet.
 * Invariant: each revision is one write that was asked for, with the answer of the model, or the expiry of one key that
 * was due.
 */
import { BugError } from '../../base/errors.ts';
import type { VirtualClock } from '../../base/virtual-clock.ts';
import type { Revision, Storage } from '../storage.ts';
import { expectEqual, expectTrue } from '../suite-assert.ts';
import { line } from './context.ts';
import { change, describe, evaluate, type Model, type ModelResult, type ModelWrite } from './model.ts';
import { type Expected, type Item, scriptValue } from './model-script.ts';
import type { ModelWatch } from './model-watch.ts';

export interface WriteCheckOptions {
  /** Whether a put of bytes that became equal while it was under way may count as a change. Default false. */
  readonly equalRacesChange?: boolean;
}

/** What the writes need of their world. */
export interface WriteWorld {
  readonly storage: Storage;
  readonly model: Model;
  readonly clock: VirtualClock;
  readonly seen: Revision;
  readonly options: WriteCheckOptions;
  see(revision: Revision): void;
}

type WriteItem = Extract<Item, { readonly op: 'create' | 'write' | 'delete' | 'transact' }>;

interface Issued {
  readonly write: ModelWrite;
  readonly seen: Revision;
  readonly from: number;
  readonly to: number;
  readonly result: ModelResult;
}

export class WriteChecks {
  readonly #world: WriteWorld;
  #issued: Issued[] = [];
  /** When the first event of a revision was delivered. */
  readonly #arrivals = new Map<Revision, number>();

  constructor(world: WriteWorld) {
    this.#world = world;
  }

  async begin(item: WriteItem): Promise<void> {
    const { storage } = this.#world;
    switch (item.op) {
      case 'create':
      case 'write': {
        const { key, ttlMs } = item;
        const expected = item.op === 'create' ? 0 : this.#expected(key, item.expected);
        const value = scriptValue(item.value);
        const options = ttlMs === undefined ? {} : { ttlMs };
        return this.#issue({ op: 'write', key, expected, value, ttlMs }, () =>
          item.op === 'create'
            ? storage.create(key, value, options)
            : storage.compareAndWrite(key, expected, value, options),
        );
      }
      case 'delete': {
        const expected = item.expected && this.#expected(item.key, item.expected);
        return this.#issue({ op: 'delete', key: item.key, expected }, () =>
          storage.delete(item.key, expected === undefined ? {} : { expected }),
        );
      }
      case 'transact': {
        const checks = item.checks.map(({ key, expected }) => ({ key, revision: this.#expected(key, expected) }));
        const writes = item.writes.map((write) =>
          write.type === 'put' ? { ...write, value: scriptValue(write.value) } : write,
        );
        return this.#issue({ op: 'transact', checks, writes }, () => storage.transact({ checks, writes }));
      }
    }
  }

  arrived(revision: Revision): void {
    if (!this.#arrivals.has(revision)) this.#arrivals.set(revision, this.#world.clock.now());
  }

  /** Takes the changes of the burst into the model, in the order of their revisions, and checks all answers. */
  commit(tap: ModelWatch): void {
    const issued = this.#issued.splice(0);
    const first = this.#world.model.revision + 1;
    const byRevision = new Map<Revision, Issued>();
    const unchanged: Issued[] = [];
    for (const each of issued) {
      const { result } = each;
      if (result.outcome !== 'ok' || ('changed' in result && !result.changed)) {
        unchanged.push(each);
        continue;
      }
      expectTrue(!byRevision.has(result.revision), `revision ${result.revision} is given once`);
      expectTrue(
        result.revision > each.seen,
        `revision ${result.revision} comes after ${each.seen}, which was seen before`,
      );
      byRevision.set(result.revision, each);
    }
    const last = Math.max(tap.position, ...byRevision.keys());
    for (let revision = first; revision <= last; revision++) {
      const each = byRevision.get(revision);
      byRevision.delete(revision);
      if (each === undefined) {
        this.#expireAt(revision, tap);
        continue;
      }
      const forced = this.#raced(revision, each.seen, tap);
      const { result, next } = evaluate(this.#world.model.now, revision - 1, each.write, { ...each, forced });
      expectEqual(describe(each.result), describe(result), `the answer to ${describe(each.write)}`);
      this.#world.model.append(next!);
    }
    expectEqual([...byRevision.keys()], [], 'revisions that were there before');
    for (const each of unchanged) this.#checkUnchanged(each);
    this.#arrivals.clear();
  }

  /** The keys that changed at a revision and had been written since a write of it began. */
  #raced(revision: Revision, seen: Revision, tap: ModelWatch): ReadonlySet<string> {
    if (!this.#world.options.equalRacesChange) return new Set();
    const keys = tap.eventsAt(revision).map(({ key }) => key);
    return new Set(keys.filter((key) => (this.#world.model.now.get(key)?.item.revision ?? 0) > seen));
  }

  /** Some state between the beginning and the end of a write must explain why it changed nothing. */
  #checkUnchanged({ write, seen, from, to, result }: Issued): void {
    const answers = new Set<string>();
    for (let revision = seen; revision <= this.#world.model.revision; revision++) {
      const expected = evaluate(this.#world.model.at(revision), revision, write, { from, to });
      const answer = describe(expected.result);
      if (answer === describe(result)) return;
      answers.add(answer);
    }
    throw new BugError(`the answer to ${describe(write)} is ${describe(result)}, none of ${[...answers].join(' or ')}`);
  }

  /** A revision that nobody asked for is an expiry. */
  #expireAt(revision: Revision, tap: ModelWatch): void {
    const events = tap.eventsAt(revision);
    const event = events[0];
    const what = events.map(line).join('; ') || 'nothing';
    expectTrue(event?.type === 'delete' && events.length === 1, `revision ${revision} is an expiry: ${what}`);
    const due = this.#world.model.now.get(event.key)?.due;
    const now = this.#arrivals.get(revision) ?? this.#world.clock.now();
    expectTrue(due !== undefined && due.earliest <= now, `${what} is not early: due ${due?.earliest}, now ${now}`);
    const write = { type: 'delete', key: event.key } as const;
    this.#world.model.append(change(this.#world.model.now, revision, [write], { from: now, to: now })!);
  }

  async #issue(write: ModelWrite, call: () => Promise<ModelResult>): Promise<void> {
    const { clock, seen } = this.#world;
    const from = clock.now();
    const result = await call();
    this.#world.see(result.revision);
    this.#issued.push({ write, seen, from, to: clock.now(), result });
  }

  #expected(key: string, expected: Expected): Revision {
    const right = this.#world.model.now.get(key)?.item.revision ?? 0;
    if (expected === 'right') return right;
    if (expected === 'zero') return 0;
    if (expected === 'next') return this.#world.model.revision + 1;
    for (let revision = this.#world.model.revision; revision > 0; revision--) {
      const older = this.#world.model.at(revision).get(key)?.item.revision ?? 0;
      if (older !== right && older !== 0) return older;
    }
    return right + 1;
  }
}
