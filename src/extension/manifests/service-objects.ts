/** The Service of an extension server, for the pods of its Deployment or for an address outside of the cluster. */
import type { JsonObject } from '../../base/json-value.ts';
import type { ServiceNames } from './service-names.ts';

export interface ServerAddress {
  /** A host name or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The port of the pods, and the label by which their Service finds them. */
export const POD_PORT = 8443;
export const nameLabel = (name: string): JsonObject => ({ 'app.kubernetes.io/name': name });

export function serviceOfPods({ namespace, name }: ServiceNames): JsonObject {
  return service(
    { namespace, name },
    {
      selector: nameLabel(name),
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: POD_PORT }],
    },
  );
}

/**
 * Returns the Service of an address outside of the cluster. Loopback addresses are not allowed in an EndpointSlice, so
 * they become the host name `localhost`. The aggregator takes the port of an ExternalName Service from the APIService;
 * it is repeated here because `kubectl get` shows it.
 */
export function serviceOfAddress(names: ServiceNames, { host, port }: ServerAddress): readonly JsonObject[] {
  const family = addressFamily(host);
  if (family === undefined || isLoopback(host)) {
    const externalName = family === undefined ? host : 'localhost';
    return [service(names, { type: 'ExternalName', externalName, ports: [{ name: 'https', protocol: 'TCP', port }] })];
  }
  return [
    service(names, { ports: [{ name: 'https', protocol: 'TCP', port, targetPort: port }] }),
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        namespace: names.namespace,
        name: `${names.name}-1`,
        labels: { 'kubernetes.io/service-name': names.name, 'endpointslice.kubernetes.io/managed-by': 'keelson' },
      },
      addressType: family,
      ports: [{ name: 'https', protocol: 'TCP', port }],
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
    },
  ];
}

function service({ namespace, name }: ServiceNames, spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name, labels: nameLabel(name) }, spec };
}

function addressFamily(host: string): 'IPv4' | 'IPv6' | undefined {
  if (host.includes(':')) return 'IPv6';
  return /^\d+(\.\d+){3}$/.test(host) ? 'IPv4' : undefined;
}

function isLoopback(host: string): boolean {
  return host.startsWith('127.') || host === '::1';
}
