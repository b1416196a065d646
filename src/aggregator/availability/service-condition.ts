/**
 * The conditions of an APIService that follow from its Service and EndpointSlices, without a request to the backend.
 * Reasons and messages are those of kube-aggregator (pkg/controllers/status/remote).
 */
import { quote } from '../../apimachinery/go-format.ts';
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { getField, type JsonObject } from '../../base/json-value.ts';
import type { Availability, BackendService } from '../remote-version.ts';

export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};
export const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export function failedDiscovery(message: string): Availability {
  return unavailable('FailedDiscoveryCheck', message);
}

/** `what` is the kind of object that could not be read. */
export function accessError(what: 'Service' | 'Endpoints', service: BackendService, error: Error): Availability {
  const message = `${nameOf(service)} cannot be checked due to: ${error.message}`;
  return { status: 'Unknown', reason: `${what}AccessError`, message };
}

/**
 * Returns the condition if the backend cannot be reached; undefined if a request can be sent. Endpoints are checked for
 * Services of type ClusterIP only, because others have none.
 */
export function serviceCondition(
  of: BackendService,
  service: JsonObject | undefined,
  slices: readonly JsonObject[],
): Availability | undefined {
  if (service === undefined) return unavailable('ServiceNotFound', `${nameOf(of)} is not present`);
  const spec = objectAt(service, 'spec') ?? {};
  if (textAt(spec, 'type') !== 'ClusterIP') return undefined;
  const port = objectsAt(spec, 'ports').find((candidate) => Number(numberAt(candidate, 'port')) === of.port);
  if (port === undefined) return unavailable('ServicePortError', `${nameOf(of)} is not listening on port ${of.port}`);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${nameOf(of)}`);
  const portName = textAt(port, 'name');
  if (slices.some((slice) => hasReadyEndpoint(slice, portName))) return undefined;
  return unavailable(
    'MissingEndpoints',
    `endpointslices for ${nameOf(of)} have no addresses with port name ${quote(portName)}`,
  );
}

function unavailable(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

function nameOf({ namespace, name }: BackendService): string {
  return `service/${name} in ${quote(namespace)}`;
}

function hasReadyEndpoint(slice: JsonObject, portName: string): boolean {
  const ready = objectsAt(slice, 'endpoints').some((endpoint) => fieldAt(endpoint, 'conditions', 'ready') !== false);
  if (!ready) return false;
  return objectsAt(slice, 'ports').some(
    (port) => textAt(port, 'name') === portName && getField(port, 'port') !== undefined,
  );
}
