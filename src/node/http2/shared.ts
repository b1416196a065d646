/**
 * State that all HTTP/2 connections of one listener or client share: the flusher, the output buffers and the Date
 * header.
 */
import type { Clock } from '../../base/clock.ts';
import { Flusher } from './flusher.ts';
import { FrameOutput } from './frame-output.ts';

export class H2Shared {
  readonly flusher: Flusher = new Flusher();
  readonly output: FrameOutput = new FrameOutput();
  readonly #clock: Clock;
  #second = -1;
  #date = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the value of the Date header, formatted at most once a second. */
  date(): string {
    const now = this.#clock.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(now).toUTCString();
    }
    return this.#date;
  }
}
