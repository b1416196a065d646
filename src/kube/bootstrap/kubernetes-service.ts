/**
 * The Service `default/kubernetes`, through which a cluster reaches its API servers, with its ServiceCIDR, IPAddress
 * and endpoints. Invariant: the Service has the first address of the first range.
 */
import { objectAt, objectsAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { equalJson, type JsonObject } from '../../base/json-value.ts';
import { parseIp } from '../../pki/ip.ts';
import { timestamp } from '../../server/registry/object-metadata.ts';
import { ipAddressObject } from '../allocators/cluster-ip-allocator.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { validateNonSpecialIp } from '../shared/ip.ts';
import type { ServerIdentity, ServiceNetwork } from './service-network.ts';

const NAME = { name: 'kubernetes', namespace: 'default' };
const PORT_NAME = 'https';
const SERVICE_PORT = 443;

/** All but the endpoints. `now` is in milliseconds. */
export function kubernetesServiceObjects(network: ServiceNetwork, now: number): readonly EnsuredObject[] {
  const [range] = network.ranges;
  const self = network.self();
  const service = serviceObject(range.first, range.family, self);
  return [
    serviceCidr(
      network.ranges.map(({ cidr }) => cidr),
      now,
    ),
    { plural: 'ipaddresses', object: ipAddressObject(range.first, range.family, NAME), strategy: 'create' },
    { plural: 'services', object: service, sent: withoutAllocations(service), strategy: 'create' },
  ];
}

/** As in the reference, a single-stack ServiceCIDR may become dual-stack; any other difference is left as it is. */
function serviceCidr(cidrs: string[], now: number): EnsuredObject {
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(now),
    message: 'Kubernetes default Service CIDR is ready',
  };
  const object = {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: NAME.name },
    spec: { cidrs },
    status: { conditions: [condition] },
  };
  return {
    plural: 'servicecidrs',
    object,
    statusManager: 'kubernetes-service-cidr-controller',
    strategy: (stored) => {
      const present = textsAt(stored, 'spec', 'cidrs');
      const grows = present.length === 1 && cidrs.length === 2 && present[0] === cidrs[0];
      return grows ? { ...stored, spec: { cidrs } } : undefined;
    },
  };
}

function serviceObject(ip: string, family: string, self: ServerIdentity | undefined): JsonObject {
  const nodePort = self?.nodePort ?? 0;
  const port: JsonObject = {
    name: PORT_NAME,
    protocol: 'TCP',
    port: SERVICE_PORT,
    targetPort: self?.port ?? SERVICE_PORT,
    ...(nodePort === 0 ? undefined : { nodePort }),
  };
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...NAME, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [port],
      clusterIP: ip,
      clusterIPs: [ip],
      type: nodePort === 0 ? 'ClusterIP' : 'NodePort',
      sessionAffinity: 'None',
      ipFamilies: [family],
      ipFamilyPolicy: 'SingleStack',
    },
    status: { loadBalancer: {} },
  };
}

/** Returns the Service without the fields that an allocator sets. */
function withoutAllocations(service: JsonObject): JsonObject {
  const { clusterIPs: _ips, ipFamilies: _families, ...spec } = objectAt(service, 'spec') ?? {};
  return { ...service, spec };
}

/** Whether other machines reach this server at its address, and it writes the endpoints. */
export function publishesEndpoints({ address, writesEndpoints }: ServerIdentity): boolean {
  const isReachable = parseIp(address) !== undefined && validateNonSpecialIp(address, FieldPath.of('ip')).length === 0;
  return writesEndpoints && isReachable;
}

/**
 * The endpoints of these servers; all serve at the port of this one, as in the reference. There are none if the address
 * of this server is not reachable from other machines.
 */
export function endpointObjects(self: ServerIdentity, addresses: readonly string[]): readonly EnsuredObject[] {
  if (!publishesEndpoints(self)) return [];
  const ports = [{ name: PORT_NAME, port: self.port, protocol: 'TCP' }];
  const family = parseIp(self.address)?.length;
  const ips = [...new Set(addresses)].filter((ip) => parseIp(ip)?.length === family).sort();
  const endpoints: JsonObject = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { ...NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: ips.length === 0 ? [] : [{ addresses: ips.map((ip) => ({ ip })), ports }],
  };
  const slice: JsonObject = {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { ...NAME, labels: { 'kubernetes.io/service-name': NAME.name } },
    addressType: family === 4 ? 'IPv4' : 'IPv6',
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports,
  };
  return [
    { plural: 'endpoints', object: endpoints, strategy: keepFields(endpoints, ['subsets']) },
    { plural: 'endpointslices', object: slice, strategy: keepFields(slice, ['endpoints', 'ports']) },
  ];
}

/** Returns a strategy that restores these fields and the wanted labels. */
function keepFields(wanted: JsonObject, fields: readonly string[]): (stored: JsonObject) => JsonObject | undefined {
  return (stored) => {
    const labels = { ...objectAt(stored, 'metadata', 'labels'), ...objectAt(wanted, 'metadata', 'labels') };
    const isRight =
      equalJson(labels, objectAt(stored, 'metadata', 'labels') ?? {}) &&
      fields.every((field) => equalJson([...objectsAt(stored, field)], [...objectsAt(wanted, field)]));
    if (isRight) return undefined;
    const changed: JsonObject = { ...stored, metadata: { ...objectAt(stored, 'metadata'), labels } };
    for (const field of fields) changed[field] = [...objectsAt(wanted, field)];
    return changed;
  };
}
