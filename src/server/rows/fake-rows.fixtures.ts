/** Rows in memory for tests, in each of the three ways in which rows report changes. Tests make them fail. */
import { Deferred } from '../../base/deferred.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { Row, RowChange, RowKey, Rows, RowWritten } from './rows.ts';

export type FakeMode = 'polled' | 'changes' | 'sequenced';

export class FakeRows implements Rows<JsonObject> {
  readonly pollIntervalMs = 1000;
  readonly sequenced: boolean;
  readonly changes?: (since: string | undefined, signal: AbortSignal) => AsyncIterable<RowChange>;
  /** Called before each operation, with its name. If it throws, the operation throws the error. */
  before: (operation: string) => void | Promise<void> = () => {};
  /** Called after each write took place. If it throws, the write throws the error. */
  after: (operation: string) => void | Promise<void> = () => {};
  /** The oldest cursor that `changes` knows. */
  oldest = 0;
  stops = 0;
  streams = 0;
  readonly calls: string[] = [];
  readonly #rows = new Map<string, Row>();
  readonly #log: { readonly number: number; readonly change: RowChange }[] = [];
  #number = 1;
  #more = new Deferred<void>();
  #broken = new Deferred<never>();

  constructor(mode: FakeMode) {
    this.sequenced = mode === 'sequenced';
    this.#broken.promise.catch(() => {});
    if (mode !== 'polled') this.changes = (since, signal) => this.#changes(since, signal);
  }

  async list(): Promise<Row[]> {
    await this.#begin('list');
    return [...this.#rows.values()].map(({ object, version }) => ({ object: cloneJson(object), version }));
  }

  async get(key: RowKey): Promise<Row | undefined> {
    await this.#begin('get');
    return this.#rows.get(path(key));
  }

  async insert(object: JsonObject): Promise<RowWritten | 'exists'> {
    await this.#begin('insert');
    if (this.#rows.has(path(keyOf(object)))) return 'exists';
    const version = this.write(object);
    await this.after('insert');
    return { version };
  }

  async replace(object: JsonObject, version: string): Promise<RowWritten | 'conflict' | 'missing'> {
    await this.#begin('replace');
    const row = this.#rows.get(path(keyOf(object)));
    if (row === undefined) return 'missing';
    if (row.version !== version) return 'conflict';
    const next = this.write(object);
    await this.after('replace');
    return { version: next };
  }

  async remove(key: RowKey, version: string): Promise<'removed' | 'conflict' | 'missing'> {
    await this.#begin('remove');
    const row = this.#rows.get(path(key));
    if (row === undefined) return 'missing';
    if (row.version !== version) return 'conflict';
    this.erase(key);
    await this.after('remove');
    return 'removed';
  }

  async stop(): Promise<void> {
    this.stops++;
  }

  /** A write by another program. */
  write(object: JsonObject): string {
    const version = String(++this.#number);
    const row = { object: cloneJson(object), version };
    this.#rows.set(path(keyOf(object)), row);
    this.#report({ type: 'put', row, cursor: version });
    return version;
  }

  /** A removal by another program. */
  erase(key: RowKey): void {
    this.#rows.delete(path(key));
    const version = String(++this.#number);
    this.#report({ type: 'remove', key, version, cursor: version });
  }

  /** Ends all streams with an error. */
  breakStreams(error: Error): void {
    const broken = this.#broken;
    this.#broken = new Deferred<never>();
    this.#broken.promise.catch(() => {});
    broken.reject(error);
  }

  async #begin(operation: string): Promise<void> {
    this.calls.push(operation);
    await this.before(operation);
  }

  #report(change: RowChange): void {
    this.#log.push({ number: this.#number, change });
    const more = this.#more;
    this.#more = new Deferred<void>();
    more.resolve();
  }

  async *#changes(since: string | undefined, signal: AbortSignal): AsyncGenerator<RowChange> {
    await this.#begin('changes');
    this.streams++;
    const aborted = new Deferred<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    let position = since === undefined ? this.#number : Number(since);
    if (position < this.oldest) {
      yield { type: 'too-old' };
      return;
    }
    if (since === undefined) yield { type: 'position', cursor: String(position) };
    while (!signal.aborted) {
      const { promise } = this.#more;
      for (const { number, change } of this.#log) {
        if (number <= position) continue;
        position = number;
        yield change;
      }
      if (position === this.#number) await Promise.race([promise, aborted.promise, this.#broken.promise]);
    }
  }
}

export function keyOf({ metadata }: JsonObject): RowKey {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return { namespace: typeof namespace === 'string' ? namespace : '', name: String(name) };
}

function path({ namespace, name }: RowKey): string {
  return JSON.stringify([namespace, name]);
}
