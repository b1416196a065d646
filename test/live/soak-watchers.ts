/**
 * The watchers of the soak test. The witness is one watch that records every revision in order. Each watcher's
 * revisions from its start on must be a slice of the witness's record; a watcher with a label selector must see exactly
 * the revisions of that slice with that label.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_TOKEN } from './server.ts';

const SESSIONS = 20;
const REVISION = /"resourceVersion":"(\d+)"/;
const HALF = /"half":"(\d)"/;

interface Watcher {
  /** The watch shows everything after this revision. */
  readonly after: number;
  /** The label that it selects; undefined for every object. */
  readonly half: string | undefined;
  readonly revisions: number[];
  close(): void;
}

export class SoakWatchers {
  readonly #sessions: ClientHttp2Session[];
  readonly #size: number;
  readonly #random: (below: number) => number;
  readonly #collection: string;
  readonly #problems: string[] = [];
  /** Revisions in order, and the label of each. */
  readonly #witness: number[] = [];
  readonly #halves: string[] = [];
  readonly #acknowledged: number[] = [];
  readonly #open: Watcher[] = [];
  readonly #dropped: Watcher[] = [];
  #start = 0;
  #opened = 0;
  #checked = 0;
  #events = 0;
  #closing = false;

  constructor(url: string, size: number, random: (below: number) => number, collection: string) {
    this.#sessions = Array.from({ length: SESSIONS }, () => {
      const session = connect(url, { rejectUnauthorized: false });
      session.on('error', (error) => this.#problems.push(`a connection was lost: ${error.message}`));
      session.setMaxListeners(0);
      return session;
    });
    this.#size = size;
    this.#random = random;
    this.#collection = collection;
  }

  begin(revision: string): void {
    this.#start = Number(revision);
    this.#watch(this.#start, undefined, (revision, half) => {
      if (revision <= (this.#witness.at(-1) ?? this.#start))
        this.#problems.push(`the witness saw ${revision} late or twice`);
      this.#witness.push(revision);
      this.#halves.push(half);
    });
    while (this.#open.length < this.#size) this.#add();
  }

  /** Records an acknowledged revision, which the witness must see. */
  acknowledge(revision: string): void {
    this.#acknowledged.push(Number(revision));
  }

  /** Closes `count` watchers and opens as many new ones. */
  churn(count: number): void {
    for (let i = 0; i < count; i++) {
      const [dropped] = this.#open.splice(this.#random(this.#open.length), 1);
      if (dropped === undefined) return;
      dropped.close();
      this.#dropped.push(dropped);
      this.#add();
    }
    this.#check();
  }

  /**
   * Waits until the witness has seen every acknowledged revision, compares the remaining watchers, and closes
   * everything.
   */
  async finish(): Promise<readonly string[]> {
    const last = Math.max(this.#start, ...this.#acknowledged.slice(-100));
    for (let i = 0; i < 100 && (this.#witness.at(-1) ?? this.#start) < last; i++) await sleep(100);
    const seen = new Set(this.#witness);
    for (const revision of this.#acknowledged)
      if (!seen.has(revision)) this.#problems.push(`the witness never saw ${revision}`);
    // Gives every watcher time to catch up with the witness.
    await sleep(1000);
    this.#closing = true;
    for (const watcher of this.#open) {
      watcher.close();
      const missing = this.#expected(watcher, this.#witness.at(-1) ?? 0).length - watcher.revisions.length;
      if (missing !== 0) this.#problems.push(`a watcher that stayed to the end missed ${missing} events`);
    }
    this.#dropped.push(...this.#open.splice(0));
    this.#check();
    if (this.#dropped.length > 0) this.#problems.push(`${this.#dropped.length} watchers were ahead of the witness`);
    for (const session of this.#sessions) session.destroy();
    return this.#problems;
  }

  summary(): string {
    return `${this.#opened} watchers opened, ${this.#checked} compared, ${this.#events} events delivered, ${this.#witness.length} seen by the witness`;
  }

  #add(): void {
    const half = this.#random(2) === 0 ? undefined : String(this.#random(2));
    // Some watchers start a little in the past.
    const after = this.#witness.at(-1 - this.#random(20)) ?? this.#start;
    const revisions: number[] = [];
    const close = this.#watch(after, half, (revision) => revisions.push(revision));
    this.#open.push({ after, half, revisions, close });
    this.#opened++;
  }

  /** Compares the watchers that the witness has overtaken. */
  #check(): void {
    const reached = this.#witness.at(-1) ?? this.#start;
    for (let i = this.#dropped.length - 1; i >= 0; i--) {
      const watcher = this.#dropped[i] as Watcher;
      const last = watcher.revisions.at(-1) ?? watcher.after;
      if (last > reached) continue;
      this.#dropped.splice(i, 1);
      this.#checked++;
      const expected = this.#expected(watcher, last);
      const equal =
        expected.length === watcher.revisions.length && expected.every((r, at) => r === watcher.revisions[at]);
      if (!equal)
        this.#problems.push(
          `after ${watcher.after} a watcher saw ${watcher.revisions.length} events, not ${expected.length}`,
        );
    }
  }

  /** Returns the witness's revisions between the watcher's start and `last`. */
  #expected(watcher: Watcher, last: number): number[] {
    const from = lowerBound(this.#witness, watcher.after + 1);
    const to = lowerBound(this.#witness, last + 1);
    const slice = this.#witness.slice(from, to);
    return watcher.half === undefined ? slice : slice.filter((_, i) => this.#halves[from + i] === watcher.half);
  }

  #watch(after: number, half: string | undefined, onEvent: (revision: number, half: string) => void): () => void {
    const session = this.#sessions[this.#opened % SESSIONS] as ClientHttp2Session;
    const selector = half === undefined ? '' : `&labelSelector=half%3D${half}`;
    const stream = session.request({
      ':path': `${this.#collection}?watch=true&timeoutSeconds=3600&resourceVersion=${after}${selector}`,
      authorization: `Bearer ${ADMIN_TOKEN}`,
    });
    let rest = '';
    let closed = false;
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      if (closed) return;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('{"type":"ERROR"'))
          this.#problems.push(`a watch after ${after} said ${line.slice(0, 300)}`);
        this.#events++;
        onEvent(Number(REVISION.exec(line)?.[1]), HALF.exec(line)?.[1] ?? '');
      }
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      if (!closed && !this.#closing) this.#problems.push(`a watch after ${after} was ended by the server`);
    });
    stream.end();
    return () => {
      closed = true;
      stream.destroy();
    };
  }
}

/** The first position whose value is at least this. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
