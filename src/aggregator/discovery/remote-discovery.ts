/**
 * Discovery of the remote group-versions. No request waits for it: a version is published as soon as its APIService
 * exists, and shown as Stale until its server has been read.
 */
import type { RemoteVersionChange } from '../remote-versions.ts';
import { ServiceGroups } from '../service-groups.ts';
import { type RemoteDiscoveryOptions, ServiceDiscovery } from './service-discovery.ts';

export class RemoteDiscovery {
  readonly #services: ServiceGroups;

  constructor(options: RemoteDiscoveryOptions) {
    this.#services = new ServiceGroups(() => new ServiceDiscovery(options));
  }

  /** Called with each change of a remote version, in order. */
  changed({ name, after }: RemoteVersionChange): void {
    if (after === undefined) this.#services.remove(name);
    else this.#services.set(after);
  }

  /** Resolves when no request runs any more. What is published stays published. */
  stop(): Promise<void> {
    return this.#services.stop();
  }
}
