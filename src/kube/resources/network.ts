/** Services, endpoints, ingress, policies, addresses, nodes. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition, Strategy } from '../../server/registry/definition.ts';
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
import { nodeTable } from '../rules/node/node-table.ts';
import { setServiceDefaults } from '../rules/service/service-defaults.ts';
import { serviceTable } from '../rules/service/service-table.ts';
import { updateSubresource } from '../subresources.ts';

export function networkResources(): readonly KubeResource[] {
  return [
    { definition: SERVICES },
    { definition: ENDPOINTS },
    { definition: ENDPOINT_SLICES },
    { definition: NODES },
    { definition: INGRESSES },
    { definition: INGRESS_CLASSES },
    { definition: NETWORK_POLICIES },
    { definition: SERVICE_CIDRS },
    { definition: IP_ADDRESSES },
  ];
}

const CORE = { group: '', version: 'v1' } as const;
const NETWORKING = 'networking.k8s.io';

const SERVICE_STRATEGY: Strategy = builtInStrategy({
  allowCreateOnUpdate: true,
  prepareForCreate: (service) => {
    service['status'] = { loadBalancer: {} };
  },
  prepareForUpdate: (service, old) => takeField(service, old, 'status'),
  returnsDeletedObject: true,
});

const SERVICES: ResourceDefinition = storedResource({
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
  subresources: [
    updateSubresource('status', {
      ...SERVICE_STRATEGY,
      prepareForUpdate: (service, old) => takeField(service, old, 'spec'),
    }),
  ],
});

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

const NODES: ResourceDefinition = storedResource({
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
    updateSubresource('status', {
      ...NODE_STRATEGY,
      prepareForUpdate: (node, old) => takeField(node, old, 'spec'),
    }),
  ],
});

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
