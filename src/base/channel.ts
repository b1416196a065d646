/**
 * A bounded queue between one or more senders and one reader, read as an async iterable.
 * Invariant: never more than `capacity` values wait; what happens to the next one is chosen when the channel is made.
 */
import { onAbort } from './abort.ts';
import { Deferred } from './deferred.ts';
import { BugError } from './errors.ts';

/** The answer to a full channel: `refuse` the new value, `drop-oldest` to make room, or make `send` `wait`. */
export type WhenFull = 'refuse' | 'drop-oldest' | 'wait';

export type Offer = 'accepted' | 'dropped-oldest' | 'refused' | 'closed';

export interface ChannelOptions {
  readonly capacity: number;
  readonly whenFull: WhenFull;
}

export class Channel<T> implements AsyncIterable<T> {
  readonly capacity: number;
  readonly whenFull: WhenFull;
  #queue: T[] = [];
  #head = 0;
  #closed = false;
  #failure: unknown;
  #reader: Deferred<void> | undefined;
  readonly #senders: Deferred<void>[] = [];

  constructor(options: ChannelOptions) {
    if (!(options.capacity >= 1)) throw new BugError(`channel capacity must be at least 1, got ${options.capacity}`);
    this.capacity = options.capacity;
    this.whenFull = options.whenFull;
  }

  get size(): number {
    return this.#queue.length - this.#head;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Hands over a value now, or says why not. On a full `wait` channel the answer is `refused`: use `send` to wait. */
  offer(value: T): Offer {
    if (this.#closed) return 'closed';
    let outcome: Offer = 'accepted';
    if (this.size >= this.capacity) {
      if (this.whenFull !== 'drop-oldest') return 'refused';
      this.#take();
      outcome = 'dropped-oldest';
    }
    this.#queue.push(value);
    this.#wakeReader();
    return outcome;
  }

  /** As `offer`, but on a full `wait` channel resolves once there was room. Rejects with the signal's reason if that comes first. */
  async send(value: T, options: { signal?: AbortSignal } = {}): Promise<Offer> {
    options.signal?.throwIfAborted();
    while (this.whenFull === 'wait' && !this.#closed && this.size >= this.capacity) {
      const room = new Deferred<void>();
      this.#senders.push(room);
      const stopListening = onAbort(options.signal, (reason) => {
        const at = this.#senders.indexOf(room);
        if (at >= 0) this.#senders.splice(at, 1);
        else this.#senders.shift()?.resolve(); // woken already: pass the turn on
        room.reject(reason);
      });
      try {
        await room.promise;
      } finally {
        stopListening();
      }
    }
    return this.offer(value);
  }

  /** Ends the channel: what waits is still read, then the reader ends, with `failure` if one is given. Closing twice keeps the first. */
  close(failure?: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#failure = failure;
    this.#wakeReader();
    for (const sender of this.#senders.splice(0)) sender.resolve();
  }

  /** The next value; undefined once the channel is closed and empty. Throws the failure it was closed with. One reader at a time. */
  async receive(options: { signal?: AbortSignal } = {}): Promise<{ value: T } | undefined> {
    while (this.size === 0) {
      if (this.#closed) {
        if (this.#failure !== undefined) throw this.#failure;
        return undefined;
      }
      options.signal?.throwIfAborted();
      if (this.#reader !== undefined) throw new BugError('a channel has one reader at a time');
      const reader = new Deferred<void>();
      this.#reader = reader;
      const stopListening = onAbort(options.signal, (reason) => reader.reject(reason));
      try {
        await reader.promise;
      } finally {
        stopListening();
        this.#reader = undefined;
      }
    }
    return { value: this.#take() };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      for (let next = await this.receive(); next !== undefined; next = await this.receive()) yield next.value;
    } finally {
      this.close();
    }
  }

  #take(): T {
    const value = this.#queue[this.#head] as T;
    this.#queue[this.#head] = undefined as T;
    this.#head++;
    if (this.#head === this.#queue.length || this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    this.#senders.shift()?.resolve();
    return value;
  }

  #wakeReader(): void {
    this.#reader?.resolve();
  }
}
