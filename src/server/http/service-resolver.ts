/**
 * The resolver of Services to addresses, from a Service and its EndpointSlices.
 *
 * Endpoints are preferred to the cluster IP: this server does not run inside a cluster network, so a cluster IP is
 * usually not reachable.
 */
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { TransportError } from '../../base/errors.ts';
import { getField, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ServiceAddress, ServiceResolver } from './outbound.ts';

export interface ServiceObjects {
  /** Undefined for a Service that does not exist. */
  service(namespace: string, name: string): MaybePromise<JsonObject | undefined>;
  /** The EndpointSlices of a Service. */
  endpointSlices(namespace: string, name: string): MaybePromise<readonly JsonObject[]>;
}

/** `random` returns a number from 0 up to, not including, 1. It chooses among several endpoints. */
export function createServiceResolver(objects: ServiceObjects, random: () => number): ServiceResolver {
  return {
    resolve: (namespace, name, port) =>
      andThen(objects.service(namespace, name), (service) => {
        if (service === undefined) throw new TransportError(`service ${JSON.stringify(name)} not found`);
        const spec = objectAt(service, 'spec') ?? {};
        if (textAt(spec, 'type') === 'ExternalName') return { host: textAt(spec, 'externalName'), port };
        const servicePort = portOf(spec, port);
        if (servicePort === undefined)
          throw new TransportError(`no service port ${port} found for service ${JSON.stringify(name)}`);
        return andThen(objects.endpointSlices(namespace, name), (slices) => {
          const found = addresses(slices, textAt(servicePort, 'name'));
          const picked = found[Math.floor(random() * found.length)];
          if (picked !== undefined) return picked;
          const clusterIp = textAt(spec, 'clusterIP');
          if (clusterIp === '' || clusterIp === 'None')
            throw new TransportError(`no endpoints available for service ${JSON.stringify(name)}`);
          return { host: clusterIp, port };
        });
      }),
  };
}

function portOf(spec: JsonObject, port: number): JsonObject | undefined {
  return objectsAt(spec, 'ports').find((candidate) => getField(candidate, 'port') === port);
}

/** Returns the ready addresses of the port with this name. */
function addresses(slices: readonly JsonObject[], portName: string): ServiceAddress[] {
  const found: ServiceAddress[] = [];
  for (const slice of slices) {
    const port = objectsAt(slice, 'ports').find((candidate) => textAt(candidate, 'name') === portName);
    const number = port === undefined ? undefined : getField(port, 'port');
    if (typeof number !== 'number') continue;
    for (const endpoint of objectsAt(slice, 'endpoints')) {
      if (fieldAt(endpoint, 'conditions', 'ready') === false) continue;
      const [host] = listAt(endpoint, 'addresses');
      if (typeof host === 'string') found.push({ host, port: number });
    }
  }
  return found;
}
