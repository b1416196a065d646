/** Services, endpoints, ingress, policies, addresses, nodes. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition, Strategy } from '../../server/registry/definition.ts';
import type { PortRange } from '../allocators/port-range.ts';
import { ServiceAllocator } from '../allocators/service-allocation.ts';
import { ServiceFront } from '../allocators/service-store.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../built-in.ts';
import type { KubeResource } from '../kube-world.ts';
import { takeField } from '../object-fields.ts';
import { setEndpointSliceDefaults } from '../rules/endpoint-slice.ts';
import { ENDPOINTS_DEPRECATION, setEndpointsDefaults } from '../rules/endpoints.ts';
import { endpointSliceTable, endpointsTable } from '../rules/endpoints-table.ts';
import { setIngressClassDefaults } from '../rules/ingress-class.ts';
import { setNetworkPolicyDefaults } from '../rules/network-policy.ts';
import {
  ingressClassTable,
  ingressTable,
  ipAddressTable,
  networkPolicyTable,
  serviceCidrTable,
} from '../rules/networking-tables.ts';
import { setNodeDefaults } from '../rules/node/node-defaults.ts';
import { nodeProxy } from '../rules/node/node-proxy.ts';
import { nodeTable } from '../rules/node/node-table.ts';
import type { ClusterFamilies } from '../rules/service/ip-families.ts';
import { setServiceDefaults } from '../rules/service/service-defaults.ts';
import { serviceProxy } from '../rules/service/service-proxy.ts';
import { SERVICE_STATUS_STRATEGY, SERVICE_STRATEGY } from '../rules/service/service-strategy.ts';
import { serviceTable } from '../rules/service/service-table.ts';
import { updateSubresource } from '../subresources.ts';
import { LateWorld } from './late-world.ts';

export interface NetworkResourceOptions {
  /** The families of `--service-cluster-ip-range`, in its order. */
  readonly families: ClusterFamilies;
  /** `--service-node-port-range`. */
  readonly nodePorts: PortRange;
}

export function networkResources(options: NetworkResourceOptions): readonly KubeResource[] {
  const world = new LateWorld();
  const services = new ServiceFront();
  return [
    {
      definition: serviceDefinition(world, services),
      front: (open, present) => {
        world.attach(present);
        return services.open(open, present, new ServiceAllocator(present, options.families, options.nodePorts));
      },
    },
    { definition: ENDPOINTS },
    { definition: ENDPOINT_SLICES },
    { definition: nodeDefinition(world) },
    { definition: INGRESSES },
    { definition: INGRESS_CLASSES },
    { definition: NETWORK_POLICIES },
    { definition: SERVICE_CIDRS },
    { definition: IP_ADDRESSES },
  ];
}

const CORE = { group: '', version: 'v1' } as const;
const NETWORKING = 'networking.k8s.io';

function serviceDefinition(world: LateWorld, front: ServiceFront): ResourceDefinition {
  return storedResource({
    plural: 'services',
    shortNames: ['svc'],
    categories: ['all'],
    scope: 'Namespaced',
    storagePrefix: 'services/specs',
    versions: [
      builtInVersion({
        ...CORE,
        kind: 'Service',
        setDefaults: setServiceDefaults,
        table: serviceTable,
        selectableFields: ['spec.clusterIP', 'spec.type'],
      }),
    ],
    strategy: SERVICE_STRATEGY,
    subresources: [serviceProxy(world.get), front.watching(updateSubresource('status', SERVICE_STATUS_STRATEGY))],
  });
}

const ENDPOINTS: ResourceDefinition = storedResource({
  plural: 'endpoints',
  shortNames: ['ep'],
  scope: 'Namespaced',
  storagePrefix: 'services/endpoints',
  versions: [
    {
      ...builtInVersion({ ...CORE, kind: 'Endpoints', setDefaults: setEndpointsDefaults, table: endpointsTable }),
      deprecationWarning: ENDPOINTS_DEPRECATION,
    },
  ],
  strategy: builtInStrategy({ allowCreateOnUpdate: true }),
});

const ENDPOINT_SLICES: ResourceDefinition = storedResource({
  plural: 'endpointslices',
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: 'discovery.k8s.io',
      version: 'v1',
      kind: 'EndpointSlice',
      setDefaults: setEndpointSliceDefaults,
      table: endpointSliceTable,
    }),
  ],
  strategy: builtInStrategy({}),
});

const NODE_STRATEGY: Strategy = builtInStrategy({
  prepareForUpdate: (node, old) => takeField(node, old, 'status'),
});

function nodeDefinition(world: LateWorld): ResourceDefinition {
  return storedResource({
    plural: 'nodes',
    shortNames: ['no'],
    scope: 'Cluster',
    storagePrefix: 'minions',
    versions: [
      builtInVersion({
        ...CORE,
        kind: 'Node',
        setDefaults: setNodeDefaults,
        table: nodeTable,
        selectableFields: ['spec.unschedulable'],
      }),
    ],
    strategy: NODE_STRATEGY,
    subresources: [
      nodeProxy(world.get),
      updateSubresource('status', {
        ...NODE_STRATEGY,
        prepareForUpdate: (node, old) => takeField(node, old, 'spec'),
      }),
    ],
  });
}

const INGRESS_STRATEGY: Strategy = builtInStrategy({
  countsGeneration: true,
  prepareForCreate: (ingress) => {
    ingress['status'] = { loadBalancer: {} };
  },
  prepareForUpdate: (ingress, old) => takeField(ingress, old, 'status'),
});

const INGRESSES: ResourceDefinition = storedResource({
  plural: 'ingresses',
  shortNames: ['ing'],
  scope: 'Namespaced',
  storagePrefix: 'ingress',
  versions: [builtInVersion({ group: NETWORKING, version: 'v1', kind: 'Ingress', table: ingressTable })],
  strategy: INGRESS_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...INGRESS_STRATEGY,
      countsGeneration: false,
      prepareForUpdate: (ingress, old) => takeField(ingress, old, 'spec'),
    }),
  ],
});

const INGRESS_CLASSES: ResourceDefinition = storedResource({
  plural: 'ingressclasses',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      group: NETWORKING,
      version: 'v1',
      kind: 'IngressClass',
      setDefaults: setIngressClassDefaults,
      table: ingressClassTable,
    }),
  ],
  strategy: builtInStrategy({ countsGeneration: true }),
});

const NETWORK_POLICIES: ResourceDefinition = storedResource({
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: NETWORKING,
      version: 'v1',
      kind: 'NetworkPolicy',
      setDefaults: setNetworkPolicyDefaults,
      table: networkPolicyTable,
    }),
  ],
  strategy: builtInStrategy({ countsGeneration: true }),
});

const SERVICE_CIDR_STRATEGY: Strategy = builtInStrategy({
  prepareForCreate: (cidr) => {
    cidr['status'] = {};
  },
  prepareForUpdate: (cidr, old) => takeField(cidr, old, 'status'),
});

const SERVICE_CIDRS: ResourceDefinition = storedResource({
  plural: 'servicecidrs',
  scope: 'Cluster',
  versions: ['v1', 'v1beta1'].map((version) =>
    builtInVersion({ group: NETWORKING, version, kind: 'ServiceCIDR', table: serviceCidrTable }),
  ) as [ReturnType<typeof builtInVersion>],
  strategy: SERVICE_CIDR_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...SERVICE_CIDR_STRATEGY,
      prepareForUpdate: (cidr, old) => {
        takeField(cidr, old, 'spec');
        takeField(cidr, old, 'metadata');
      },
    }),
  ],
});

const IP_ADDRESSES: ResourceDefinition = storedResource({
  plural: 'ipaddresses',
  shortNames: ['ip'],
  scope: 'Cluster',
  versions: ['v1', 'v1beta1'].map((version) =>
    builtInVersion({ group: NETWORKING, version, kind: 'IPAddress', table: ipAddressTable }),
  ) as [ReturnType<typeof builtInVersion>],
  strategy: builtInStrategy({}),
});
