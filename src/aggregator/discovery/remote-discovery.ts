/**
 * Discovery of the remote group-versions. No request waits for it: a version is published as soon as its APIService
 * exists, and shown as Stale until its server has been read.
 */
import { ServiceGroups } from '../service-groups.ts';
import { type RemoteDiscoveryOptions, ServiceDiscovery } from './service-discovery.ts';

export class RemoteDiscovery extends ServiceGroups {
  constructor(options: RemoteDiscoveryOptions) {
    super(() => new ServiceDiscovery(options));
  }
}
