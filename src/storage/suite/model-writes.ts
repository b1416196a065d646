/**
 * The writes of the model test. They are applied to the model in the order of their revisions when all of them are
 * answered.
 * Invariant: each revision is one requested write with the result of the model, or the expiry of one key.
 */
import { BugError } from '../../base/errors.ts';
import type { VirtualClock } from '../../base/virtual-clock.ts';
import type { Revision, SeenState, Storage } from '../storage.ts';
import { expectEqual, expectTrue } from '../suite-assert.ts';
import { embedded, line, seenAt } from './context.ts';
import { change, describe, evaluate, type Model, type ModelResult, type ModelWrite } from './model.ts';
import { type Expected, type Item, scriptValue } from './model-script.ts';
import type { ModelWatch } from './model-watch.ts';

export interface WriteCheckOptions {
  /** Whether a put may count as a change if the stored bytes become equal while it is in flight. Default false. */
  readonly equalRacesChange?: boolean;
}

/** The parts of the model test that writes need. */
export interface WriteContext {
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
  readonly #context: WriteContext;
  #issued: Issued[] = [];
  /** The times at which the first event of a revision was delivered. */
  readonly #arrivals = new Map<Revision, number>();

  constructor(context: WriteContext) {
    this.#context = context;
  }

  async begin(item: WriteItem): Promise<void> {
    const { storage } = this.#context;
    switch (item.op) {
      case 'create':
      case 'write': {
        const { key, ttlMs } = item;
        const seen = item.op === 'create' ? undefined : this.#seen(key, item.expected);
        const expected = seen?.revision ?? 0;
        const value = scriptValue(item.value);
        const options = ttlMs === undefined ? {} : { ttlMs };
        const blind = seen?.stale === true && !storage.embedded;
        return this.#issue({ op: 'write', key, expected, value, ttlMs, blind }, () =>
          item.op === 'create'
            ? storage.create(key, value, options)
            : storage.compareAndWrite(key, seen, value, options),
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
        return this.#issue({ op: 'transact', checks, writes }, () => embedded(storage).transact({ checks, writes }));
      }
    }
  }

  arrived(revision: Revision): void {
    if (!this.#arrivals.has(revision)) this.#arrivals.set(revision, this.#context.clock.now());
  }

  /** Applies the changes of the burst to the model, in the order of their revisions, and checks all results. */
  commit(tap: ModelWatch): void {
    const issued = this.#issued.splice(0);
    const first = this.#context.model.revision + 1;
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
      const { result, next } = evaluate(this.#context.model.now, revision - 1, each.write, { ...each, forced });
      expectEqual(describe(each.result), describe(result), `the answer to ${describe(each.write)}`);
      this.#context.model.append(next!);
    }
    expectEqual([...byRevision.keys()], [], 'revisions that were there before');
    for (const each of unchanged) this.#checkUnchanged(each);
    this.#arrivals.clear();
  }

  /** The keys of a write that were written by others after it began. */
  #raced(revision: Revision, seen: Revision, tap: ModelWatch): ReadonlySet<string> {
    if (!this.#context.options.equalRacesChange) return new Set();
    const keys = tap.eventsAt(revision).map(({ key }) => key);
    return new Set(keys.filter((key) => (this.#context.model.now.get(key)?.item.revision ?? 0) > seen));
  }

  /** A write that changed nothing must be a no-op in some state between its beginning and its end. */
  #checkUnchanged({ write, seen, from, to, result }: Issued): void {
    const answers = new Set<string>();
    for (let revision = seen; revision <= this.#context.model.revision; revision++) {
      const expected = evaluate(this.#context.model.at(revision), revision, write, { from, to });
      const answer = describe(expected.result);
      if (answer === describe(result)) return;
      answers.add(answer);
    }
    throw new BugError(`the answer to ${describe(write)} is ${describe(result)}, none of ${[...answers].join(' or ')}`);
  }

  /** Checks a revision that no request has made: it must be the expiry of a key. */
  #expireAt(revision: Revision, tap: ModelWatch): void {
    const events = tap.eventsAt(revision);
    const event = events[0];
    const what = events.map(line).join('; ') || 'nothing';
    expectTrue(event?.type === 'delete' && events.length === 1, `revision ${revision} is an expiry: ${what}`);
    const due = this.#context.model.now.get(event.key)?.due;
    const now = this.#arrivals.get(revision) ?? this.#context.clock.now();
    expectTrue(due !== undefined && due.earliest <= now, `${what} is not early: due ${due?.earliest}, now ${now}`);
    const write = { type: 'delete', key: event.key } as const;
    this.#context.model.append(change(this.#context.model.now, revision, [write], { from: now, to: now })!);
  }

  async #issue(write: ModelWrite, call: () => Promise<ModelResult>): Promise<void> {
    const { clock, seen } = this.#context;
    const from = clock.now();
    const result = await call();
    this.#context.see(result.revision);
    this.#issued.push({ write, seen, from, to: clock.now(), result });
  }

  #expected(key: string, expected: Expected): Revision {
    return this.#seen(key, expected)?.revision ?? 0;
  }

  #seen(key: string, expected: Expected): SeenState | undefined {
    const { model } = this.#context;
    const right = model.now.get(key)?.item;
    if (expected === 'right') return right;
    if (expected === 'zero') return undefined;
    if (expected === 'next') return seenAt(model.revision + 1);
    for (let { revision } = model; revision >= model.first; revision--) {
      const older = model.at(revision).get(key)?.item;
      if (older !== undefined && older.revision !== right?.revision) return older;
    }
    return seenAt((right?.revision ?? 0) + 1);
  }
}
