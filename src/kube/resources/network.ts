/** Services, endpoints, ingress, policies, addresses, nodes. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { endpointSliceTable } from '../groups/core/endpoints-table.ts';
import { balancerWarnings } from '../groups/core/service/service-status.ts';
import {
  endpointSliceCreateWarnings,
  endpointSliceWarnings,
  prepareEndpointSliceForCreate,
  prepareEndpointSliceForUpdate,
  setEndpointSliceDefaults,
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from '../groups/discovery/endpoint-slice.ts';
import {
  ingressWarnings,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from '../groups/networking/ingress.ts';
import {
  setIngressClassDefaults,
  validateIngressClass,
  validateIngressClassUpdate,
} from '../groups/networking/ingress-class.ts';
import { nameIsIp, validateIpAddress, validateIpAddressUpdate } from '../groups/networking/ip-address.ts';
import {
  networkPolicyWarnings,
  setNetworkPolicyDefaults,
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from '../groups/networking/network-policy.ts';
import {
  ingressClassTable,
  ingressTable,
  ipAddressTable,
  networkPolicyTable,
  serviceCidrTable,
} from '../groups/networking/networking-tables.ts';
import {
  validateServiceCidr,
  validateServiceCidrStatusUpdate,
  validateServiceCidrUpdate,
} from '../groups/networking/service-cidr.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, keepAllButStatus, keepStatus, takeField } from '../shared/object-fields.ts';

export function networkResources(): readonly KubeResource[] {
  return [
    { definition: ENDPOINT_SLICES },
    { definition: INGRESSES },
    { definition: INGRESS_CLASSES },
    { definition: NETWORK_POLICIES },
    { definition: SERVICE_CIDRS },
    { definition: IP_ADDRESSES },
  ];
}

const NETWORKING = 'networking.k8s.io';

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
  strategy: builtInStrategy({
    prepareForCreate: prepareEndpointSliceForCreate,
    validate: (slice) => validateEndpointSlice(slice),
    validatesMetadata: true,
    warningsOnCreate: endpointSliceCreateWarnings,
    prepareForUpdate: prepareEndpointSliceForUpdate,
    validateUpdate: validateEndpointSliceUpdate,
    warningsOnUpdate: endpointSliceWarnings,
  }),
});

const INGRESS_STRATEGY: Strategy = builtInStrategy({
  countsGeneration: true,
  prepareForCreate: (ingress) => {
    ingress['status'] = { loadBalancer: {} };
  },
  validate: validateIngress,
  validatesMetadata: true,
  warningsOnCreate: ingressWarnings,
  prepareForUpdate: keepStatus,
  validateUpdate: validateIngressUpdate,
});

const INGRESSES: ResourceDefinition = storedResource({
  plural: 'ingresses',
  shortNames: ['ing'],
  scope: 'Namespaced',
  storagePrefix: 'ingress',
  versions: [builtInVersion({ group: NETWORKING, version: 'v1', kind: 'Ingress', table: ingressTable })],
  strategy: INGRESS_STRATEGY,
  subresources: [
    updateSubresource(
      'status',
      builtInStrategy({
        prepareForUpdate: (ingress, old) => takeField(ingress, old, 'spec'),
        validateUpdate: validateIngressStatusUpdate,
        warningsOnUpdate: balancerWarnings,
      }),
    ),
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
  strategy: builtInStrategy({
    countsGeneration: true,
    validate: validateIngressClass,
    validatesMetadata: true,
    validateUpdate: validateIngressClassUpdate,
  }),
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
  strategy: builtInStrategy({
    countsGeneration: true,
    validate: validateNetworkPolicy,
    validatesMetadata: true,
    warningsOnCreate: networkPolicyWarnings,
    validateUpdate: validateNetworkPolicyUpdate,
    warningsOnUpdate: networkPolicyWarnings,
  }),
});

const SERVICE_CIDRS: ResourceDefinition = storedResource({
  plural: 'servicecidrs',
  scope: 'Cluster',
  versions: [serviceCidrVersion('v1'), serviceCidrVersion('v1beta1')],
  strategy: builtInStrategy({
    prepareForCreate: clearStatus,
    validate: validateServiceCidr,
    validatesMetadata: true,
    prepareForUpdate: keepStatus,
    validateUpdate: validateServiceCidrUpdate,
  }),
  subresources: [
    updateSubresource(
      'status',
      builtInStrategy({ prepareForUpdate: keepAllButStatus, validateUpdate: validateServiceCidrStatusUpdate }),
    ),
  ],
});

function serviceCidrVersion(version: string): VersionDefinition {
  return builtInVersion({ group: NETWORKING, version, kind: 'ServiceCIDR', table: serviceCidrTable });
}

const IP_ADDRESSES: ResourceDefinition = storedResource({
  plural: 'ipaddresses',
  shortNames: ['ip'],
  scope: 'Cluster',
  versions: [ipAddressVersion('v1'), ipAddressVersion('v1beta1')],
  strategy: builtInStrategy({
    nameRule: nameIsIp,
    validate: validateIpAddress,
    validatesMetadata: true,
    validateUpdate: validateIpAddressUpdate,
  }),
});

function ipAddressVersion(version: string): VersionDefinition {
  return builtInVersion({ group: NETWORKING, version, kind: 'IPAddress', table: ipAddressTable });
}
