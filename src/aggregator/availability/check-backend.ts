/** One availability check of a remote version: its Service, its endpoints, and a request for its discovery document. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { Clock } from '../../base/clock.ts';
import { TransportError, toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { MASTERS_GROUP } from '../../server/authorizer.ts';
import type { ServiceResolver } from '../../server/http/outbound.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { Availability, BackendClient, BackendService, RemoteVersion } from '../remote-version.ts';
import { LATE, runProbe } from './probe.ts';
import { accessError, failedDiscovery, PASSED, serviceCondition } from './service-condition.ts';

export interface BackendCheckOptions {
  readonly clock: Clock;
  readonly services: Lister;
  readonly endpointSlices: Lister;
  readonly resolver: ServiceResolver;
  readonly client: BackendClient;
}

/** The label of an EndpointSlice that names its Service. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

/** The user of the checks, as in kube-aggregator. Every backend must allow this user to read discovery. */
const CHECKER: UserInfo = { name: 'system:kube-aggregator', uid: '', groups: [MASTERS_GROUP], extra: {} };

/** Checks a version and resolves with its condition. Rejects only with the reason of the signal. */
export async function checkBackend(
  options: BackendCheckOptions,
  to: RemoteVersion,
  signal: AbortSignal,
): Promise<Availability> {
  const problem = await checkService(options, to.service);
  if (problem !== undefined) return problem;
  const path = to.group === '' ? `/api/${to.version}` : `/apis/${to.group}/${to.version}`;
  let url = '';
  try {
    const { host, port } = await options.resolver.resolve(to.service.namespace, to.service.name, to.service.port);
    url = `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
    await runProbe({
      clock: options.clock,
      wasAvailable: to.availability.status === 'True',
      attempt: (attemptSignal) => readDiscovery(options.client, to, { path, url, signal: attemptSignal }),
      signal,
    });
    return PASSED;
  } catch (caught) {
    signal.throwIfAborted();
    return failedDiscovery(failureMessage(toError(caught).message, url));
  }
}

async function checkService(
  { services, endpointSlices }: BackendCheckOptions,
  service: BackendService,
): Promise<Availability | undefined> {
  let object: JsonObject | undefined;
  try {
    await services.fresh();
    object = services.get(service.namespace, service.name);
  } catch (caught) {
    return accessError('Service', service, toError(caught));
  }
  try {
    await endpointSlices.fresh();
    const slices = endpointSlices
      .list(service.namespace)
      .filter((slice) => textAt(slice, 'metadata', 'labels', SERVICE_NAME) === service.name);
    return serviceCondition(service, object, slices);
  } catch (caught) {
    return accessError('Endpoints', service, toError(caught));
  }
}

async function readDiscovery(
  client: BackendClient,
  to: RemoteVersion,
  { path, url, signal }: { readonly path: string; readonly url: string; readonly signal: AbortSignal },
): Promise<void> {
  const headers = { accept: 'application/json' };
  const response = await client.request(to, { method: 'GET', target: path, headers, user: CHECKER, signal });
  response.abort();
  if (response.status < 200 || response.status >= 300)
    throw new TransportError(`bad status from ${url}: ${response.status}`);
}

/**
 * Returns the message of a failed check. `url` is '' if the Service could not be resolved. The message of the failure
 * may name another endpoint than `url`.
 */
function failureMessage(message: string, url: string): string {
  if (url === '') return message;
  const sentTo = /^Get "([^"]+)": /.exec(message)?.[1] ?? url;
  const failure = message === LATE ? `Get "${url}": ${LATE}` : message;
  return `failing or missing response from ${sentTo}: ${failure}`;
}
