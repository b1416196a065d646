/**
 * Looks after the certificates of a running server: those of the data folder are renewed when they near their end, those of the operator are read again. Invariant: connections
 * that are open stay open; a failure changes nothing, is reported, and is tried again one interval later.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { TlsMaterial } from './tls-material.ts';

export interface RenewalOptions {
  readonly clock: Clock;
  /** Default one hour: certificates are renewed days before their end. */
  readonly intervalMs?: number;
  readonly current: TlsMaterial;
  reload(): Promise<TlsMaterial>;
  /** Called only if something changed. */
  apply(material: TlsMaterial): void | Promise<void>;
  onError(error: Error): void;
}

const HOUR = 3_600_000;

export function startCertificateRenewal(options: RenewalOptions): Stoppable {
  return new Renewal(options);
}

class Renewal implements Stoppable {
  readonly #options: RenewalOptions;
  #applied: string;
  #timer: Timer;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#applied = fingerprint(options.current);
    this.#timer = this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer.cancel();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #arm(): Timer {
    const { clock, intervalMs = HOUR } = this.#options;
    return clock.setTimer(
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
      const found = fingerprint(material);
      if (found !== this.#applied && !this.#stopped) {
        await this.#options.apply(material);
        this.#applied = found;
      }
    } catch (caught) {
      this.#options.onError(toError(caught));
    }
    if (!this.#stopped) this.#timer = this.#arm();
  }
}

function fingerprint({ config, pki }: TlsMaterial): string {
  return JSON.stringify([config, pki.admin.certificatePem]);
}
