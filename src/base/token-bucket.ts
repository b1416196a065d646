/**
 * A token bucket: an allowance that refills at a constant rate. Invariant: it never holds more tokens than its burst.
 */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  /** Negative while reserved tokens are outstanding. */
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
    this.#refill(nowMs);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  /** Takes one token, now or in advance. Returns the milliseconds until the token is available; 0 for now. */
  reserve(nowMs: number): number {
    this.#refill(nowMs);
    this.#left--;
    return this.#left >= 0 ? 0 : (-this.#left / this.#perSecond) * 1000;
  }

  #refill(nowMs: number): void {
    if (nowMs <= this.#at) return;
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#at) / 1000) * this.#perSecond);
    this.#at = nowMs;
  }
}
