/**
 * The discovery of the remote group-versions. No request waits for a remote server: a version is published as soon as
 * its APIService exists, and is Stale until the discovery of its server has been fetched.
 */
import { ServiceGroups } from '../service-groups.ts';
import { type RemoteDiscoveryOptions, ServiceDiscovery } from './service-discovery.ts';

export class RemoteDiscovery extends ServiceGroups {
  constructor(options: RemoteDiscoveryOptions) {
    super(() => new ServiceDiscovery(options));
  }
}
