/**
 * A mutex per key.
 * Invariant: a key is in the map exactly while one of its tasks runs or waits.
 */
export class KeyedTurns {
  /** The last task of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  isTaken(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs the task after all earlier tasks of the key. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, mine);
    const done = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(done, done);
    return mine;
  }
}
