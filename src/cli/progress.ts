/**
 * The progress line of long work. Invariants: the line is written to a terminal only; work that ends within the delay
 * shows no line; `end` removes the line.
 */

export interface ProgressOptions {
  /** Where the line is written. */
  readonly stream: { readonly isTTY?: boolean; write(text: string): unknown };
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  /** The time in milliseconds before the line appears. Default 500. */
  readonly delayMs?: number;
  /** The shortest time in milliseconds between two changes of the line. Default 100. */
  readonly intervalMs?: number;
}

const CLEAR_LINE = '\r\x1b[K';

export class Progress {
  readonly #stream: ProgressOptions['stream'];
  readonly #now: () => number;
  readonly #intervalMs: number;
  #next: number;
  #isShown = false;

  constructor({ stream, now, delayMs = 500, intervalMs = 100 }: ProgressOptions) {
    this.#stream = stream;
    this.#now = now;
    this.#intervalMs = intervalMs;
    this.#next = now() + delayMs;
  }

  /** Shows the text and the share of the work that is done. */
  step(what: string, done: number, total: number): void {
    if (this.#stream.isTTY !== true || this.#now() < this.#next) return;
    this.#next = this.#now() + this.#intervalMs;
    this.#isShown = true;
    this.#stream.write(`${CLEAR_LINE}${what}: ${done} of ${total}`);
  }

  /** Removes the line. Call it before other output. */
  end(): void {
    if (this.#isShown) this.#stream.write(CLEAR_LINE);
    this.#isShown = false;
  }
}
