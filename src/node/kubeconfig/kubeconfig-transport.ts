/**
 * The transport of a command-line client to the server of a kubeconfig. Invariant: certificates of servers are checked
 * by the same code as those of webhooks, unless the kubeconfig says `insecure-skip-tls-verify`.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import type { Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { concatBytes } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import { TransportError, toError } from '../../base/errors.ts';
import type { KubeconfigContext } from '../../client/kubeconfig.ts';
import type { ByteSource } from '../../server/http/byte-stream.ts';
import { createOutboundClient } from '../outbound/outbound-client.ts';
import { responseHeaders } from '../outbound/target.ts';
import { type Credentials, loadCredentials } from './credentials.ts';

export interface KubeconfigConnection {
  /** Bodies of answers are read as a whole. */
  readonly transport: Transport;
  /** Closes all connections. */
  stop(): Promise<void>;
}

/** Reads the credentials. Nothing is sent yet. Throws ConfigError naming what cannot be used. */
export async function connectKubeconfig(
  context: KubeconfigContext,
  env: Readonly<Record<string, string | undefined>>,
): Promise<KubeconfigConnection> {
  const credentials = await loadCredentials(context, env);
  const isVerified = context.server.startsWith('https:') && !context.insecureSkipTlsVerify;
  return isVerified ? verified(context, credentials) : unverified(context, credentials);
}

const USER_AGENT = 'keelson';

function verified({ server, tlsServerName }: KubeconfigContext, credentials: Credentials): KubeconfigConnection {
  const client = createOutboundClient();
  const { hostname, host, port } = new URL(server);
  const transport: Transport = async ({ method, target, headers, body, signal }) => {
    const url = new URL(`${server}${target}`);
    if (tlsServerName !== undefined) url.hostname = tlsServerName;
    const address = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
    const response = await client.request({
      method,
      url: url.href,
      ...(tlsServerName === undefined ? {} : { address }),
      ca: credentials.caPem,
      ...(credentials.clientCertificate === undefined ? {} : { clientCertificate: credentials.clientCertificate }),
      headers: { host, 'user-agent': USER_AGENT, ...headers, ...credentials.headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, headers: response.headers, body: await bytesOf(response) };
  };
  return { transport, stop: () => client.stop() };
}

/** Plain HTTP, as to `kubectl proxy`, and TLS without a check of the server's certificate. */
function unverified({ server }: KubeconfigContext, credentials: Credentials): KubeconfigConnection {
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    const { method, target, headers, body } = request;
    const options = { method, headers: { 'user-agent': USER_AGENT, ...plain(headers), ...plain(credentials.headers) } };
    const { clientCertificate } = credentials;
    const outgoing = server.startsWith('http:')
      ? sendHttp(`${server}${target}`, options)
      : sendHttps(`${server}${target}`, { ...options, ...clientCertificate, rejectUnauthorized: false });
    outgoing.end(body);
    try {
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer) chunks.push(chunk as Uint8Array);
      return {
        status: answer.statusCode ?? 0,
        headers: responseHeaders(answer.rawHeaders),
        body: concatBytes(chunks),
      };
    } catch (caught) {
      throw new TransportError(`${method} ${server}${target}: ${toError(caught).message}`, { cause: caught });
    }
  };
  return { transport, stop: async () => undefined };
}

/** Node's types want lists that can be changed. */
function plain(headers: TransportRequest['headers'] = {}): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function bytesOf(source: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const done = new Deferred<Uint8Array>();
  source.pipeTo({
    write: (more) => {
      chunks.push(...more);
      return true;
    },
    onDrain: () => undefined,
    end: () => done.resolve(concatBytes(chunks)),
    abort: () => done.reject(new TransportError('the connection broke before the end of the answer')),
    onClose: () => undefined,
  });
  return done.promise;
}
