/** The parent's memory of what was acknowledged and seen, compared with every state that a restart shows. */
import { checksumOf } from '../../src/storage/lmdb/checksum.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { EventLine } from './child.ts';
import { COUNTERS, WriterModel } from './model.ts';

type StateLine = readonly [key: string, revision: Revision, checksum: number];

/** A writer has one operation under way, and one more whose acknowledgement was not yet written to the pipe. */
const MOST_UNHEARD = 2;

export class Witness {
  readonly violations: string[] = [];
  /** The last revision whose events were received whole. */
  seen: Revision = 1;
  /** The state of this round was compared with what was seen and acknowledged. */
  compared = false;
  readonly #models: WriterModel[];
  /** Operations that each writer has had acknowledged. */
  readonly #acked: number[];
  readonly #counted = new Map<string, number>();
  readonly #replica = new Map<string, { readonly revision: Revision; readonly checksum: number }>();
  #highest: Revision = 1;
  #state: { readonly revision: Revision; readonly items: readonly StateLine[] } | undefined;
  #round = { acknowledged: 0, events: 0, unheard: 0 };
  #total = { rounds: 0, acknowledged: 0, events: 0, unheard: 0, states: 0 };
  #verified = '';

  constructor(seed: number, writers: number) {
    this.#models = Array.from({ length: writers }, (_, writer) => new WriterModel(seed, writer));
    this.#acked = this.#models.map(() => 0);
    for (let i = 0; i < COUNTERS; i++) this.#counted.set(`counter/${i}`, 0);
  }

  beginRound(): void {
    this.#round = { acknowledged: 0, events: 0, unheard: 0 };
    this.#state = undefined;
    this.#verified = 'not opened';
    this.compared = false;
  }

  /** Takes a line in; true when the child may go on to write. */
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

  /** How many operations of each writer are known to be in the store. */
  done(): number[] {
    return this.#models.map((model) => model.done);
  }

  violate(what: string): void {
    if (this.violations.length < 50) this.violations.push(`round ${this.#total.rounds + 1}: ${what}`);
  }

  roundSummary(): string {
    const { acknowledged, events, unheard } = this.#round;
    this.#total.rounds++;
    return `found ${this.#verified} (${unheard} writes committed but unheard of); then ${acknowledged} acknowledged, ${events} events, revision ${this.seen}`;
  }

  totalSummary(): string {
    const { rounds, acknowledged, events, unheard, states } = this.#total;
    return `${rounds} rounds, ${acknowledged} acknowledged writes, ${events} events, ${unheard} committed but unheard of, ${states} states compared, revision ${this.seen}`;
  }

  #acknowledge(writer: number, n: number, revision: Revision): void {
    this.#round.acknowledged++;
    this.#total.acknowledged++;
    if (n !== this.#acked[writer]) this.violate(`writer ${writer} had ${this.#acked[writer]} acknowledged, then ${n}`);
    this.#acked[writer] = n + 1;
    this.#highest = Math.max(this.#highest, revision);
  }

  /** Every revision changes something and everything is watched: revisions must come one by one. */
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
    // What expired since the state was read is in the replica only.
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

  /** A counter holds every acknowledged count, and at most one more for each writer: a lost or doubled update shows here. */
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

  /** The writer's keys must be exactly as after some number of whole operations, at least those acknowledged. */
  #settle(model: WriterModel, writer: number, found: ReadonlyMap<string, number>): void {
    const acked = this.#acked[writer] as number;
    while (model.done < acked) model.apply(model.next());
    const own = [...found.keys()].filter((key) => key.startsWith(model.prefix));
    for (let unheard = 0; unheard <= MOST_UNHEARD; unheard++) {
      if (own.length === model.values.size && own.every((key) => found.get(key) === sum(model.values.get(key)))) {
        this.#round.unheard += unheard;
        this.#total.unheard += unheard;
        this.#acked[writer] = model.done;
        return;
      }
      model.apply(model.next());
    }
    this.violate(`the keys of writer ${writer} are not as after ${acked} or ${MOST_UNHEARD} more operations`);
  }
}

function sum(value: Buffer | undefined): number {
  return value === undefined ? -1 : checksumOf(value);
}
