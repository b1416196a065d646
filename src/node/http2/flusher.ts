/** Lets all connections that have something to send write once, at the end of a turn of the event loop. Invariant: nothing is scheduled while nobody has anything to send. */

export interface Flushable {
  flush(): void;
}

export class Flusher {
  #waiting: Flushable[] = [];

  /** Once a turn; the caller sees to it. */
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
      // One that throws keeps nobody else from writing.
      for (; done < waiting.length; done++) this.add(waiting[done]!);
    }
  };
}
