/**
 * A token bucket: an allowance that refills at a constant rate. Invariant: it never holds more tokens than its burst.
 */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #at: number;

  constructor(burst: number, perSecond: number, nowMs: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
    this.#at = nowMs;
  }

  /** Takes one token. Returns false if none is left. */
  take(nowMs: number): boolean {
    if (nowMs > this.#at) {
      this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#at) / 1000) * this.#perSecond);
      this.#at = nowMs;
    }
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
