/** The POST of a review to a webhook: an AdmissionReview or a ConversionReview. */
import type { HttpHeaders } from '../apimachinery/http/transport.ts';
import { TransportError, toError } from '../base/errors.ts';
import type {
  ClientKeyPair,
  OutboundAnswer,
  OutboundClient,
  ServiceAddress,
  ServiceResolver,
} from '../server/http/outbound.ts';

/** The parts of the server that calls need. */
export interface WebhookHost {
  readonly client: Pick<OutboundClient, 'post'>;
  readonly services: ServiceResolver;
  /** Returns a new UUID of version 4. */
  newUid(): string;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** '' stands for `/`. */
  readonly path: string;
}

/** The credentials of this server for a webhook. */
export interface CallCredentials {
  readonly clientCertificate: ClientKeyPair | undefined;
  /** Names in lower case, such as `authorization`. */
  readonly headers: HttpHeaders;
}

export interface ReviewCall {
  /** A URL or a Service. */
  readonly address: string | WebhookService;
  /** PEM; '' for the authorities that the system trusts. */
  readonly ca: string;
  readonly body: Uint8Array;
  /** Sent to the webhook in whole seconds, rounded up. */
  readonly timeoutMs: number;
  /** See OutboundCall. */
  readonly timeoutText?: string;
  /** Default: none. */
  readonly credentials?: CallCredentials | undefined;
}

/**
 * A webhook may add to objects, but the size of its answer is bounded by that of the request, because it is parsed on
 * the only thread.
 */
const ANSWER_BYTES = 8 * 1024 * 1024;
const ANSWER_GROWTH = 4;

/** Rejects with a TransportError in the words of Go's HTTP client, also for a Service that cannot be resolved. */
export async function postReview(
  { client, services }: Pick<WebhookHost, 'client' | 'services'>,
  { address, body, credentials, ...call }: ReviewCall,
): Promise<OutboundAnswer> {
  return client.post({
    ...call,
    ...credentials,
    ...(await targetOf(services, address, `timeout=${Math.ceil(call.timeoutMs / 1000)}s`)),
    body,
    contentType: 'application/json',
    answerBytes: ANSWER_BYTES + ANSWER_GROWTH * body.byteLength,
  });
}

async function targetOf(
  services: ServiceResolver,
  address: ReviewCall['address'],
  timeout: string,
): Promise<{ readonly url: string; readonly address?: ServiceAddress }> {
  if (typeof address === 'string') return { url: `${address}${address.includes('?') ? '&' : '?'}${timeout}` };
  const { namespace, name, port, path } = address;
  const url = `https://${name}.${namespace}.svc:${port}${path === '' ? '/' : path}?${timeout}`;
  try {
    return { url, address: await services.resolve(namespace, name, port) };
  } catch (caught) {
    throw new TransportError(`Post ${JSON.stringify(url)}: ${toError(caught).message}`);
  }
}
