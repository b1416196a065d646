/**
 * What stands behind a Service, from the Service itself and its EndpointSlices. Invariant: an address is one that something told us to use; nothing is guessed.
 *
 * There is no network of a cluster here, so endpoints come first: they are addresses that can be reached. The cluster IP is the last resort.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { ServiceAddress, ServiceResolver } from './outbound.ts';

export interface ServiceObjects {
  /** Undefined for a Service that does not exist. */
  service(namespace: string, name: string): MaybePromise<JsonObject | undefined>;
  /** The EndpointSlices of a Service. */
  endpointSlices(namespace: string, name: string): MaybePromise<readonly JsonObject[]>;
}

/** `random` picks among several endpoints: from 0 up to, not including, 1. */
export function createServiceResolver(objects: ServiceObjects, random: () => number): ServiceResolver {
  return {
    resolve: (namespace, name, port) =>
      andThen(objects.service(namespace, name), (service) => {
        if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
        const spec = objectField(service, 'spec');
        if (textField(spec, 'type') === 'ExternalName') return { host: textField(spec, 'externalName'), port };
        const servicePort = portOf(spec, port);
        if (servicePort === undefined)
          throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
        return andThen(objects.endpointSlices(namespace, name), (slices) => {
          const found = addresses(slices, textField(servicePort, 'name'));
          const picked = found[Math.floor(random() * found.length)];
          if (picked !== undefined) return picked;
          const clusterIp = textField(spec, 'clusterIP');
          if (clusterIp === '' || clusterIp === 'None')
            throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
          return { host: clusterIp, port };
        });
      }),
  };
}

function portOf(spec: JsonObject, port: number): JsonObject | undefined {
  return objectsIn(spec, 'ports').find((candidate) => getField(candidate, 'port') === port);
}

/** Ready addresses of the port with this name. */
function addresses(slices: readonly JsonObject[], portName: string): ServiceAddress[] {
  const found: ServiceAddress[] = [];
  for (const slice of slices) {
    const port = objectsIn(slice, 'ports').find((candidate) => textField(candidate, 'name') === portName);
    const number = port === undefined ? undefined : getField(port, 'port');
    if (typeof number !== 'number') continue;
    for (const endpoint of objectsIn(slice, 'endpoints')) {
      if (getField(objectField(endpoint, 'conditions'), 'ready') === false) continue;
      const hosts = getField(endpoint, 'addresses');
      const host = Array.isArray(hosts) ? hosts[0] : undefined;
      if (typeof host === 'string') found.push({ host, port: number });
    }
  }
  return found;
}

function objectField(object: JsonObject, name: string): JsonObject {
  const value = getField(object, name);
  return isJsonObject(value) ? value : {};
}

function objectsIn(object: JsonObject, name: string): JsonObject[] {
  const value: JsonValue | undefined = getField(object, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textField(object: JsonObject, name: string): string {
  const value = getField(object, name);
  return typeof value === 'string' ? value : '';
}
