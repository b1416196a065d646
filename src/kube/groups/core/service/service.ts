/** The kind Service. Its store allocates cluster IPs and node ports before a write and releases them afterwards. */

import { storedResource } from '../../../../server/resource/stored-resource.ts';
import { keepSpec } from '../../../../server/resource/strategy-fields.ts';
import type { PortRange } from '../../../allocators/port-range.ts';
import type { KubeContext, KubeResource } from '../../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../../shared/built-in.ts';
import type { ClusterFamilies } from './ip-families.ts';
import { ServiceAllocator } from './service-allocator.ts';
import { setServiceDefaults } from './service-defaults.ts';
import { serviceProxy } from './service-proxy.ts';
import { ServiceRelease } from './service-release.ts';
import { balancerWarnings, validateServiceStatusUpdate } from './service-status.ts';
import { wrapServiceStore } from './service-store.ts';
import { SERVICE_STRATEGY } from './service-strategy.ts';
import { serviceTable } from './service-table.ts';

export interface ServiceNetworkOptions {
  /** The families of `--service-cluster-ip-range`, in its order. */
  readonly families: ClusterFamilies;
  /** `--service-node-port-range`. */
  readonly nodePorts: PortRange;
}

export function serviceResource(kube: KubeContext, network: ServiceNetworkOptions): KubeResource {
  const allocator = new ServiceAllocator(kube, network.families, network.nodePorts);
  const release = new ServiceRelease(kube, allocator);
  const status = statusSubresource(SERVICE_STRATEGY, {
    prepareForUpdate: keepSpec,
    validateUpdate: validateServiceStatusUpdate,
    warningsOnUpdate: balancerWarnings,
  });
  return {
    definition: storedResource({
      plural: 'services',
      shortNames: ['svc'],
      categories: ['all'],
      scope: 'Namespaced',
      storagePrefix: 'services/specs',
      versions: [
        builtInVersion({
          group: '',
          version: 'v1',
          kind: 'Service',
          setDefaults: setServiceDefaults,
          table: serviceTable,
          selectableFields: ['spec.clusterIP', 'spec.type'],
        }),
      ],
      strategy: SERVICE_STRATEGY,
      subresources: [serviceProxy(kube), release.afterUpdatesOf(status)],
    }),
    wrapStore: ({ registry }) => wrapServiceStore(registry, { kube, allocator, release }),
  };
}
