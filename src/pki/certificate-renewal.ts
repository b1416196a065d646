/**
 * The renewal of certificates while a server runs. At each interval, certificates of the data folder are renewed if
 * they expire soon, and files of the operator are read again.
 * Invariant: open connections stay open. A failure is reported and changes nothing; the next interval tries again.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';

/** `M` is what is reloaded: the certificates and CAs of a listener, for example. */
export interface RenewalOptions<M> {
  readonly clock: Clock;
  /** Default one hour. Certificates are renewed days before they expire. */
  readonly intervalMs?: number;
  readonly current: M;
  reload(): Promise<M>;
  /** Returns a text that changes with every part that matters. */
  fingerprint(material: M): string;
  /** Called after a reload whose fingerprint differs from that of the last one that was applied. */
  apply(material: M): void | Promise<void>;
  onError(error: Error): void;
}

const HOUR = 3_600_000;

/** Starts the interval. `stop()` waits for a reload that is running. */
export function startCertificateRenewal<M>(options: RenewalOptions<M>): Stoppable {
  const renewal = new Renewal(options);
  renewal.schedule();
  return renewal;
}

class Renewal<M> implements Stoppable {
  readonly #options: RenewalOptions<M>;
  #applied: string;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RenewalOptions<M>) {
    this.#options = options;
    this.#applied = options.fingerprint(options.current);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  schedule(): void {
    const { clock, intervalMs = HOUR } = this.#options;
    this.#timer = clock.setTimer(
      intervalMs,
      () => {
        this.#running = this.#run();
      },
      { background: true },
    );
  }

  async #run(): Promise<void> {
    try {
      const material = await this.#options.reload();
      const found = this.#options.fingerprint(material);
      if (found !== this.#applied && !this.#stopped) {
        await this.#options.apply(material);
        this.#applied = found;
      }
    } catch (caught) {
      this.#options.onError(toError(caught));
    }
    if (!this.#stopped) this.schedule();
  }
}
