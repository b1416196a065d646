/**
 * The base class for documents of one service. They are fetched when an APIService of the service changes or becomes
 * available, and then periodically. A failed fetch is repeated with backoff. Nothing is fetched while no APIService of
 * the service is available.
 */
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { FailureLog } from './failure-log.ts';
import type { RefreshPolicy } from './refresh-machine.ts';
import { Refresher } from './refresher.ts';
import { isAvailable, type RemoteVersion } from './remote-version.ts';
import type { ServiceDocuments } from './service-groups.ts';

export interface RefreshedDocumentsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

export abstract class RefreshedDocuments implements ServiceDocuments {
  readonly #refresher: Refresher;
  #versions: readonly RemoteVersion[] = [];

  /** `documents` is the name of the documents in the log. */
  protected constructor({ clock, logger }: RefreshedDocumentsOptions, documents: string, policy: RefreshPolicy) {
    const failures = new FailureLog(logger, documents);
    this.#refresher = new Refresher({
      clock,
      policy,
      fetch: async (signal) => {
        const to = this.#versions.find(isAvailable);
        if (to === undefined) return;
        await this.fetch(to, signal);
        failures.succeeded(this.#versions);
      },
      onFailure: (error) => failures.failed(this.#versions, error),
    });
  }

  /**
   * Fetches and publishes the documents. `to` is the first available version of the service. Rejects if the fetch
   * fails.
   */
  protected abstract fetch(to: RemoteVersion, signal: AbortSignal): Promise<void>;
  /** Called for each version after a change of any version of the service. Publishes the state of the version. */
  protected abstract updated(version: RemoteVersion): void;
  /** Called when the service has lost a version. Removes the published documents of the version. */
  protected abstract removed(version: RemoteVersion): void;

  /** The versions of the service, as of the last update. */
  protected get versions(): readonly RemoteVersion[] {
    return this.#versions;
  }

  update(versions: readonly RemoteVersion[]): void {
    const before = this.#versions;
    this.#versions = versions;
    const names = new Set(versions.map(formatGroupVersion));
    for (const old of before) if (!names.has(formatGroupVersion(old))) this.removed(old);
    for (const version of versions) this.updated(version);
    if (!versions.some(isAvailable)) this.#refresher.pause();
    else if (versions.some((version) => !before.includes(version))) this.#refresher.change();
  }

  settled(): Promise<void> {
    return this.#refresher.settled();
  }

  stop(): Promise<void> {
    return this.#refresher.stop();
  }
}
