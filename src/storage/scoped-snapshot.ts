/** A snapshot of the outer store, seen through the prefix. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { andThen } from '../base/maybe-promise.ts';
import { checkRange } from './checks.ts';
import { StorageError } from './errors.ts';
import { checkKey, type KeyRange } from './keys.ts';
import type { KeyValue, Revision, Snapshot } from './storage.ts';

export class ScopedSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #inner: Snapshot;
  readonly #prefix: string;
  readonly #onStop: (snapshot: ScopedSnapshot) => void;
  #stopped = false;

  constructor(inner: Snapshot, prefix: string, onStop: (snapshot: ScopedSnapshot) => void) {
    this.revision = inner.revision;
    this.#inner = inner;
    this.#prefix = prefix;
    this.#onStop = onStop;
  }

  /** The snapshot of the outer store; throws Closed after stop(). */
  inner(): Snapshot {
    if (this.#stopped) throw new StorageError('Closed', 'the snapshot is stopped');
    return this.#inner;
  }

  get(key: string): MaybePromise<KeyValue | undefined> {
    checkKey(key);
    return andThen(this.inner().get(this.#prefix + key), (item) => item && this.#strip(item));
  }

  list(
    range: KeyRange,
    options?: { limit?: number },
  ): MaybePromise<{ items: readonly KeyValue[]; next: string | undefined; remaining: number }> {
    checkRange(range);
    return andThen(this.inner().list(inScope(range, this.#prefix), options), ({ items, next, remaining }) => ({
      items: items.map((item) => this.#strip(item)),
      next: next?.slice(this.#prefix.length),
      remaining,
    }));
  }

  stop(): Promise<void> {
    this.#stopped = true;
    this.#onStop(this);
    return this.#inner.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #strip(item: KeyValue): KeyValue {
    return { ...item, key: item.key.slice(this.#prefix.length) };
  }
}

/** The same range seen from the outer store. */
export function inScope(range: KeyRange, prefix: string): KeyRange {
  return {
    prefix: prefix + range.prefix,
    ...(range.start === undefined ? {} : { start: prefix + range.start }),
  };
}
