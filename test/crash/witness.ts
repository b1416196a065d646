/** The record of acknowledged writes and delivered events, which is compared with the state after each restart. */
import { checksumOf } from '../../src/storage/lmdb/checksum.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { EventLine } from './child.ts';
import { COUNTERS, WriterModel } from './model.ts';

type StateLine = readonly [key: string, revision: Revision, checksum: number];

/** A writer has at most one operation in flight, and one whose acknowledgement was not written to the pipe. */
const MOST_UNACKNOWLEDGED = 2;

export class Witness {
  readonly violations: string[] = [];
  /** The last revision whose events were received completely. */
  seen: Revision = 1;
  /** Whether the state of this round was compared. */
  compared = false;
  readonly #models: WriterModel[];
  /** The number of acknowledged operations of each writer. */
  readonly #acked: number[];
  readonly #counted = new Map<string, number>();
  readonly #replica = new Map<string, { readonly revision: Revision; readonly checksum: number }>();
  #highest: Revision = 1;
  #state: { readonly revision: Revision; readonly items: readonly StateLine[] } | undefined;
  #round = { acknowledged: 0, events: 0, unacknowledged: 0 };
  #total = { rounds: 0, acknowledged: 0, events: 0, unacknowledged: 0, states: 0 };
  #verified = '';

  constructor(seed: number, writers: number) {
    this.#models = Array.from({ length: writers }, (_, writer) => new WriterModel(seed, writer));
    this.#acked = this.#models.map(() => 0);
    for (let i = 0; i < COUNTERS; i++) this.#counted.set(`counter/${i}`, 0);
  }

  beginRound(): void {
    this.#round = { acknowledged: 0, events: 0, unacknowledged: 0 };
    this.#state = undefined;
    this.#verified = 'not opened';
    this.compared = false;
  }

  /** Takes a line of the child. Returns true when the child may begin to write. */
  hear(line: string): boolean {
    const kind = line[0];
    const [, first = '', second = '', third = '', fourth = ''] = line.split(' ', 5);
    if (kind === 'a') this.#acknowledge(Number(first), Number(second), Number(third));
    else if (kind === 'c') {
      this.#counted.set(first, (this.#counted.get(first) ?? 0) + 1);
      this.#acknowledge(Number(second), Number(third), Number(fourth));
    } else if (kind === 'e') this.#event(Number(first), JSON.parse(line.slice(line.indexOf('['))) as EventLine[]);
    else if (kind === 's') {
      this.#state = { revision: Number(first), items: JSON.parse(line.slice(line.indexOf('['))) as StateLine[] };
    } else if (kind === 'v') this.#verified = `${first} keys, ${second} records`;
    else if (kind === 'p') {
      this.#compare(Number(first));
      return true;
    } else this.violate(line);
    return false;
  }

  /** The number of operations of each writer that are known to be stored. */
  done(): number[] {
    return this.#models.map((model) => model.done);
  }

  violate(what: string): void {
    if (this.violations.length < 50) this.violations.push(`round ${this.#total.rounds + 1}: ${what}`);
  }

  roundSummary(): string {
    const { acknowledged, events, unacknowledged } = this.#round;
    this.#total.rounds++;
    const found = `found ${this.#verified} (${unacknowledged} writes committed but not acknowledged)`;
    return `${found}; then ${acknowledged} acknowledged, ${events} events, revision ${this.seen}`;
  }

  totalSummary(): string {
    const { rounds, acknowledged, events, unacknowledged, states } = this.#total;
    const writes = `${acknowledged} acknowledged writes, ${unacknowledged} committed but not acknowledged`;
    return `${rounds} rounds, ${writes}, ${events} events, ${states} states compared, revision ${this.seen}`;
  }

  #acknowledge(writer: number, n: number, revision: Revision): void {
    this.#round.acknowledged++;
    this.#total.acknowledged++;
    if (n !== this.#acked[writer]) this.violate(`writer ${writer} had ${this.#acked[writer]} acknowledged, then ${n}`);
    this.#acked[writer] = n + 1;
    this.#highest = Math.max(this.#highest, revision);
  }

  /** Every revision changes a watched key, so revisions must come one by one. */
  #event(revision: Revision, events: readonly EventLine[]): void {
    this.#round.events += events.length;
    this.#total.events += events.length;
    if (revision !== this.seen + 1) this.violate(`event of revision ${revision} after ${this.seen}`);
    this.seen = revision;
    this.#highest = Math.max(this.#highest, revision);
    for (const [key, type, previous, checksum] of events) {
      const before = this.#replica.get(key)?.revision ?? 0;
      if (previous !== before)
        this.violate(`event of ${key} at ${revision} says previous ${previous}, seen was ${before}`);
      if (type === 'put') this.#replica.set(key, { revision, checksum });
      else this.#replica.delete(key);
    }
  }

  #compare(caughtUp: Revision): void {
    const state = this.#state;
    if (state === undefined) {
      this.violate('the watch caught up before the state was reported');
      return;
    }
    if (state.revision < this.#highest) this.violate(`revision went back from ${this.#highest} to ${state.revision}`);
    if (this.seen !== caughtUp || caughtUp < state.revision) {
      this.violate(`the watch saw up to ${this.seen}, caught up at ${caughtUp}, the store was at ${state.revision}`);
    }
    // Keys that expired after the state was read are deleted in the replica only.
    if (caughtUp === state.revision) this.#compareReplica(state.items);
    const found = new Map(state.items.map(([key, , checksum]) => [key, checksum]));
    this.#models.forEach((model, writer) => {
      this.#settle(model, writer, found);
    });
    this.#settleCounters(found);
    this.compared = true;
    this.#total.states++;
  }

  #compareReplica(items: readonly StateLine[]): void {
    const left = new Set(this.#replica.keys());
    for (const [key, revision, checksum] of items) {
      const replica = this.#replica.get(key);
      if (replica?.revision !== revision || replica.checksum !== checksum) {
        this.violate(`${key} is at ${revision}, the watch saw ${replica?.revision ?? 'nothing'}`);
      }
      left.delete(key);
    }
    for (const key of left) this.violate(`${key} was seen and never seen deleted, but is not there`);
  }

  /**
   * A counter must have every acknowledged increment, and at most one more per writer. This detects lost and doubled
   * updates.
   */
  #settleCounters(found: ReadonlyMap<string, number>): void {
    for (const [key, counted] of this.#counted) {
      const stored = found.get(key);
      if (stored === undefined && counted === 0) continue;
      const value = Buffer.alloc(4);
      let more = 0;
      for (; more <= this.#models.length; more++) {
        value.writeUInt32LE(counted + more);
        if (checksumOf(value) === stored) break;
      }
      if (more > this.#models.length) this.violate(`${key} does not hold ${counted} or a few more`);
      this.#counted.set(key, counted + more);
    }
  }

  /**
   * The keys of a writer must be exactly those after some number of whole operations, which is at least the
   * acknowledged number.
   */
  #settle(model: WriterModel, writer: number, found: ReadonlyMap<string, number>): void {
    const acked = this.#acked[writer] as number;
    while (model.done < acked) model.apply(model.next());
    const own = [...found.keys()].filter((key) => key.startsWith(model.prefix));
    for (let unacknowledged = 0; unacknowledged <= MOST_UNACKNOWLEDGED; unacknowledged++) {
      if (own.length === model.values.size && own.every((key) => found.get(key) === sum(model.values.get(key)))) {
        this.#round.unacknowledged += unacknowledged;
        this.#total.unacknowledged += unacknowledged;
        this.#acked[writer] = model.done;
        return;
      }
      model.apply(model.next());
    }
    this.violate(`the keys of writer ${writer} are not as after ${acked} or ${MOST_UNACKNOWLEDGED} more operations`);
  }
}

function sum(value: Buffer | undefined): number {
  return value === undefined ? -1 : checksumOf(value);
}
