/**
 * The expected state of the kill test: the acknowledged value of each name, writes without an answer, and acknowledged
 * revisions. Invariant: a write is `open` from before it is sent until its answer; a write that is open when the server
 * dies may or may not have happened.
 */
import type { LiveAnswer, LiveObject, WatchEvent } from './client.ts';

interface Known {
  /** The last acknowledged value; undefined if the object does not exist. */
  value: string | undefined;
  /** The value that an unanswered write would have stored; undefined if there is no such write. */
  open: { readonly value: string | undefined } | undefined;
}

export class KillWitness {
  readonly violations: string[] = [];
  /** The revision that the watch has reached. */
  seen = '0';
  readonly #names = new Map<string, Known>();
  /** Acknowledged revisions that the watch has not shown yet. */
  readonly #awaited = new Map<number, string>();
  readonly #shown = new Set<number>();
  #sequence = 0;
  #acknowledged = 0;
  #unheard = 0;
  #events = 0;
  #round = { acknowledged: 0, events: 0 };
  #wake: (() => void) | undefined;

  known(name: string): Known {
    let known = this.#names.get(name);
    if (known === undefined) {
      known = { value: undefined, open: undefined };
      this.#names.set(name, known);
    }
    return known;
  }

  /** Records a new value of the name, open until it is acknowledged. */
  begin(name: string): string {
    const value = `${name}#${++this.#sequence}`;
    this.known(name).open = { value };
    return value;
  }

  beginDelete(name: string): void {
    this.known(name).open = { value: undefined };
  }

  created(name: string, answer: LiveAnswer): void {
    this.#written(name, answer, 201);
  }

  updated(name: string, answer: LiveAnswer): void {
    this.#written(name, answer, 200);
  }

  deleted(name: string, answer: LiveAnswer): void {
    if (answer.status !== 200) this.violations.push(`DELETE ${name}: ${answer.status} ${answer.body}`);
    this.#acknowledge(name);
  }

  event(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      this.violations.push(`the watch said ${JSON.stringify(event.object)}`);
      return;
    }
    const revision = Number(event.object.metadata.resourceVersion);
    this.#events++;
    if (this.#shown.has(revision)) this.violations.push(`revision ${revision} was shown twice`);
    if (revision <= Number(this.seen)) this.violations.push(`revision ${revision} was shown after ${this.seen}`);
    this.#shown.add(revision);
    this.#awaited.delete(revision);
    this.seen = String(revision);
    if (this.#awaited.size === 0) this.#wake?.();
  }

  /** Compares the state after a restart with the acknowledged one, and adopts it. */
  compare(list: {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly LiveObject[];
  }): void {
    if (this.seen === '0') this.seen = list.metadata.resourceVersion;
    if (Number(list.metadata.resourceVersion) < Number(this.seen))
      this.violations.push(`the list is at ${list.metadata.resourceVersion}, the watch saw ${this.seen}`);
    const found = new Map(list.items.map((item) => [item.metadata.name, item.data?.['value']]));
    for (const [name, known] of this.#names) {
      const value = found.get(name);
      if (value !== known.value) {
        if (known.open !== undefined && known.open.value === value) this.#unheard++;
        else this.violations.push(`${name} is ${value}, but ${known.value} was acknowledged`);
      }
      known.value = value;
      known.open = undefined;
    }
    for (const revision of this.#awaited.keys())
      if (revision > Number(list.metadata.resourceVersion))
        this.violations.push(`revision ${revision} was acknowledged and is gone`);
  }

  /** Resolves when the watch has shown every acknowledged revision; records a violation after ten seconds. */
  async caughtUp(): Promise<void> {
    if (this.#awaited.size === 0) return;
    const all = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const limit = new Promise<void>((resolve) => setTimeout(resolve, 10_000).unref());
    await Promise.race([all, limit]);
    for (const [revision, name] of this.#awaited)
      this.violations.push(`the watch never showed revision ${revision} of ${name}`);
  }

  roundSummary(): string {
    const text = `${this.#acknowledged - this.#round.acknowledged} writes answered, ${this.#events - this.#round.events} events seen`;
    this.#round = { acknowledged: this.#acknowledged, events: this.#events };
    return text;
  }

  totalSummary(): string {
    return `${this.#acknowledged} writes answered 2xx, ${this.#events} events seen, ${this.#unheard} writes committed but unheard of, last revision ${this.seen}`;
  }

  #written(name: string, answer: LiveAnswer, expected: number): void {
    if (answer.status !== expected) {
      this.violations.push(`a write of ${name} was answered ${answer.status}: ${answer.body.slice(0, 200)}`);
      return;
    }
    const revision = Number((JSON.parse(answer.body) as LiveObject).metadata.resourceVersion);
    if (!this.#shown.has(revision)) this.#awaited.set(revision, name);
    this.#acknowledge(name);
  }

  #acknowledge(name: string): void {
    const known = this.known(name);
    known.value = known.open?.value;
    known.open = undefined;
    this.#acknowledged++;
  }
}
