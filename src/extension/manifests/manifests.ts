/**
 * The objects that register an extension server with a Kubernetes API server: the steps of the guide "Setup an
 * Extension API Server", as objects for `kubectl apply`. They are the same for kube-apiserver and for Keelson.
 */
import { ConfigError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ExtensionServer } from '../extension-server.ts';
import { accessObjects } from './access-objects.ts';
import { apiServices } from './api-services.ts';
import { certificateSecret, deploymentObjects } from './deployment-objects.ts';
import type { ServiceNames } from './service-names.ts';
import { type ServerAddress, serviceOfAddress, serviceOfPods } from './service-objects.ts';

export interface ManifestOptions {
  /** The namespace of the server. */
  readonly namespace: string;
  /** The name of the server's objects. Default: the first label of the first group, `bank` for `bank.example.com`. */
  readonly name?: string;
  /**
   * The image of a server that runs in the cluster. The manifests then have a Deployment, and a Secret with the
   * certificate. The program gets its port and its certificate by the environment variables PORT, TLS_CERT_FILE and
   * TLS_KEY_FILE.
   */
  readonly image?: string;
  /**
   * The address of a server outside of the cluster: `host:port` or the URL of `listen`. A host name, or a loopback
   * address, becomes an ExternalName Service, which `--enable-aggregator-routing` does not accept. An IP address
   * becomes a Service with an EndpointSlice, which needs that flag or kube-proxy.
   */
  readonly address?: string;
  /**
   * The CA of the serving certificate, PEM, if you issue it yourself. Default: the CA of the server, which also issues
   * the certificate.
   */
  readonly ca?: string;
  /** The priority of the groups among all groups, 1 to 20,000. Default 1,000, as CRDs have. */
  readonly groupPriority?: number;
  /** The priority of the first version; each later version has one less. Default 100. */
  readonly versionPriority?: number;
  /** The number of pods of the Deployment. More than one pod needs a shared storage. Default 1. */
  readonly replicas?: number;
  /** The PersistentVolumeClaim for the folder of the server, mounted at `/data`. Default: an empty folder of the pod. */
  readonly volumeClaim?: string;
}

/**
 * Returns the objects in an order in which they can be applied. With `address`, also adds the names of the Service to
 * the serving certificate of the server. Throws ConfigError for options that contradict each other.
 */
export async function manifests(server: ExtensionServer, options: ManifestOptions): Promise<readonly JsonObject[]> {
  const { namespace, image, address } = options;
  if ((image === undefined) === (address === undefined))
    throw new ConfigError('manifests: set image or address, to say where the server runs');
  checkLabel('namespace', namespace);
  const name = checkLabel('name', options.name ?? defaultName(server.resources));
  const names: ServiceNames = { namespace, name };
  const hosts = servingHosts(names);
  const access = accessObjects(names, server.resources);
  if (image !== undefined) {
    const issued = options.ca === undefined ? await server.issueCertificate(`${name}.${namespace}`, hosts) : undefined;
    return [
      ...access,
      ...(issued === undefined ? [] : [certificateSecret(names, issued)]),
      serviceOfPods(names),
      ...deploymentObjects(names, { ...options, image }),
      ...apiServices(names, server.resources, { ...options, ca: options.ca ?? issued?.ca ?? '', port: 443 }),
    ];
  }
  const at = parseAddress(address ?? '');
  const ca = options.ca ?? (await server.addServingHosts(hosts));
  return [
    ...access,
    ...serviceOfAddress(names, at),
    ...apiServices(names, server.resources, { ...options, ca, port: at.port }),
  ];
}

/** The DNS names of the Service. The aggregator verifies the first name; the others are for clients in the cluster. */
function servingHosts({ namespace, name }: ServiceNames): readonly string[] {
  const service = `${name}.${namespace}.svc`;
  return [service, `${service}.cluster.local`, `${name}.${namespace}`, name];
}

function defaultName(resources: readonly ResourceDefinition[]): string {
  return resources[0]?.versions[0]?.group.split('.')[0] ?? '';
}

function checkLabel(what: string, value: string): string {
  if (/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(value)) return value;
  throw new ConfigError(`manifests: ${what} ${JSON.stringify(value)} is not a DNS label, as a Service needs`);
}

function parseAddress(text: string): ServerAddress {
  const url = URL.canParse(text) && text.includes('://') ? text : `https://${text}`;
  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : { hostname: '', port: '', protocol: '' };
  if (hostname === '' || protocol !== 'https:')
    throw new ConfigError(`manifests: address ${JSON.stringify(text)} is not host:port or an https URL`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}
