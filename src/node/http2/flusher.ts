/**
 * Flushes connections with frames to write, once per turn of the event loop.
 * Invariant: an immediate is scheduled exactly while a connection waits to be flushed.
 */

export interface Flushable {
  /** Writes the frames that are ready. Called once per `Flusher.add`. */
  flush(): void;
}

export class Flusher {
  #waiting: Flushable[] = [];

  /** Schedules a flush in this turn. The caller must not add a connection twice before it is flushed. */
  add(one: Flushable): void {
    if (this.#waiting.push(one) === 1) setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    let done = 0;
    try {
      while (done < waiting.length) waiting[done++]!.flush();
    } finally {
      // If one throws, the others are flushed in the next turn.
      for (; done < waiting.length; done++) this.add(waiting[done]!);
    }
  };
}
