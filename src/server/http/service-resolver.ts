/**
 * The resolver of Services to addresses, for webhooks and extension API servers, from a Service and its
 * EndpointSlices. Endpoints objects are never read.
 */
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { TransportError } from '../../base/errors.ts';
import { getField, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ServiceAddress, ServiceResolver } from './outbound.ts';

export interface ServiceObjects {
  /** Returns the Service; undefined if it does not exist. */
  service(namespace: string, name: string): MaybePromise<JsonObject | undefined>;
  /** Returns the EndpointSlices of a Service. */
  endpointSlices(namespace: string, name: string): MaybePromise<readonly JsonObject[]>;
}

/**
 * - `endpoints`, as `--enable-aggregator-routing=true`: a ready endpoint. An ExternalName is not supported.
 * - `cluster-ip`, as `--enable-aggregator-routing=false`: the cluster IP, or the external name. A headless Service
 *   fails.
 * - `available`, the default: a ready endpoint, or the external name, or the cluster IP. This server usually does not
 *   run inside a cluster network, so a cluster IP is the last choice. EndpointSlices cannot have loopback addresses;
 *   the external name `localhost` can stand for a server on this machine.
 */
export type ServiceRouting = 'endpoints' | 'cluster-ip' | 'available';

export interface ServiceResolverOptions {
  readonly objects: ServiceObjects;
  /** Returns a number from 0 up to, not including, 1. It chooses among several endpoints. */
  readonly random: () => number;
  /** Default `available`. */
  readonly routing?: ServiceRouting;
}

interface Sought {
  readonly name: string;
  readonly spec: JsonObject;
  readonly port: number;
  readonly slices: () => MaybePromise<readonly JsonObject[]>;
  readonly tried: readonly ServiceAddress[];
  readonly random: () => number;
}

const NONE_TRIED: readonly ServiceAddress[] = [];
const ROUTABLE_TYPES: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

const ROUTES: Readonly<Record<ServiceRouting, (sought: Sought) => MaybePromise<ServiceAddress>>> = {
  endpoints: endpointOf,
  'cluster-ip': clusterAddressOf,
  available: availableAddressOf,
};

export function createServiceResolver({
  objects,
  random,
  routing = 'available',
}: ServiceResolverOptions): ServiceResolver {
  const route = ROUTES[routing];
  return {
    resolve: (namespace, name, port, tried = NONE_TRIED) =>
      andThen(objects.service(namespace, name), (service) => {
        if (service === undefined) throw new TransportError(`service ${JSON.stringify(name)} not found`);
        const slices = (): MaybePromise<readonly JsonObject[]> => objects.endpointSlices(namespace, name);
        return route({ name, spec: objectAt(service, 'spec') ?? {}, port, slices, tried, random });
      }),
  };
}

function endpointOf(sought: Sought): MaybePromise<ServiceAddress> {
  const { spec, name, slices } = sought;
  const type = typeOf(spec);
  if (!ROUTABLE_TYPES.has(type)) throw unsupported(type);
  const portName = textAt(requiredPort(sought), 'name');
  return andThen(slices(), (found) => {
    const address = chooseEndpoint(found, portName, sought);
    if (address === undefined) throw new TransportError(`no endpoints available for service ${JSON.stringify(name)}`);
    return address;
  });
}

function clusterAddressOf(sought: Sought): ServiceAddress {
  const { spec, port } = sought;
  const type = typeOf(spec);
  if (type === 'ExternalName') return { host: textAt(spec, 'externalName'), port };
  if (!ROUTABLE_TYPES.has(type)) throw unsupported(type);
  const clusterIp = textAt(spec, 'clusterIP');
  if (type === 'ClusterIP' && clusterIp === 'None')
    throw new TransportError('cannot route to service with ClusterIP "None"');
  requiredPort(sought);
  return { host: clusterIp, port };
}

function availableAddressOf(sought: Sought): MaybePromise<ServiceAddress> {
  const { spec, port, name, slices } = sought;
  if (typeOf(spec) === 'ExternalName') return { host: textAt(spec, 'externalName'), port };
  const portName = textAt(requiredPort(sought), 'name');
  return andThen(slices(), (found) => {
    const address = chooseEndpoint(found, portName, sought);
    if (address !== undefined) return address;
    const clusterIp = textAt(spec, 'clusterIP');
    if (clusterIp === '' || clusterIp === 'None')
      throw new TransportError(`no endpoints available for service ${JSON.stringify(name)}`);
    return { host: clusterIp, port };
  });
}

function typeOf(spec: JsonObject): string {
  return textAt(spec, 'type') || 'ClusterIP';
}

function unsupported(type: string): TransportError {
  return new TransportError(`unsupported service type ${JSON.stringify(type)}`);
}

function requiredPort({ spec, name, port }: Sought): JsonObject {
  const found = objectsAt(spec, 'ports').find((candidate) => getField(candidate, 'port') === port);
  if (found !== undefined) return found;
  throw new TransportError(`no service port ${port} found for service ${JSON.stringify(name)}`);
}

/**
 * Returns a ready endpoint of the port with this name, of the first IP family of the Service if there is one.
 * Undefined if none is ready.
 */
function chooseEndpoint(
  slices: readonly JsonObject[],
  portName: string,
  { spec, tried, random }: Sought,
): ServiceAddress | undefined {
  const [family] = listAt(spec, 'ipFamilies');
  const preferred: ServiceAddress[] = [];
  const others: ServiceAddress[] = [];
  for (const slice of slices) {
    const isPreferred = family === undefined || textAt(slice, 'addressType') === family;
    addReady(isPreferred ? preferred : others, slice, portName);
  }
  const isUntried = ({ host, port }: ServiceAddress): boolean =>
    !tried.some((other) => other.host === host && other.port === port);
  for (const candidates of [preferred, others]) {
    const untried = tried.length === 0 ? candidates : candidates.filter(isUntried);
    if (untried.length > 0) return untried[Math.floor(random() * untried.length)];
  }
  return preferred[0] ?? others[0];
}

function addReady(found: ServiceAddress[], slice: JsonObject, portName: string): void {
  const port = objectsAt(slice, 'ports').find((candidate) => textAt(candidate, 'name') === portName);
  const number = port === undefined ? undefined : getField(port, 'port');
  if (typeof number !== 'number') return;
  for (const endpoint of objectsAt(slice, 'endpoints')) {
    if (fieldAt(endpoint, 'conditions', 'ready') === false) continue;
    const [host] = listAt(endpoint, 'addresses');
    if (typeof host === 'string') found.push({ host, port: number });
  }
}
