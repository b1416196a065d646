/** Connections of the clients of this bench. They use the HTTP/2 client of this package, for all servers alike. */
import { connect, type TLSSocket } from 'node:tls';
import type { HttpHeaders } from '../../../src/apimachinery/http/transport.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { ClientConnection } from '../../../src/node/http2/client/client-connection.ts';
import { H2Shared } from '../../../src/node/http2/shared.ts';
import { HTTP2_SETTINGS } from '../../../src/node/outbound/limits.ts';
import type { OutboundResponse } from '../../../src/server/http/outbound.ts';

export interface ClientOptions {
  /** The server, without a path. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: HttpHeaders;
  /** PEM. Default: no certificate is presented. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface H2Client {
  /** Rejects unless the answer is 2xx. */
  send(method: string, path: string, body?: Uint8Array): Promise<OutboundResponse>;
  close(): void;
}

const shared = new H2Shared(systemClock);

export async function connectClient({ url, headers, certificate }: ClientOptions): Promise<H2Client> {
  const { hostname, port, host: authority } = new URL(url);
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const options = { host: hostname, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false };
    const dialed = connect({ ...options, ...certificate });
    dialed.setNoDelay(true);
    dialed.once('secureConnect', () => resolve(dialed));
    dialed.once('error', reject);
  });
  const events = { maxStreams: () => undefined, retired: () => undefined, closed: () => undefined };
  const connection = new ClientConnection({ socket, shared, settings: HTTP2_SETTINGS, clock: systemClock, events });
  connection.start();
  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        connection.send(
          { method, path, authority, headers, body },
          {
            answered: (response) => {
              const { status } = response;
              if (status >= 200 && status < 300) resolve(response);
              else reject(new Error(`${url}: ${method} ${path} was answered ${status}`));
            },
            failed: reject,
            closed: () => undefined,
          },
        );
      }),
    close: () => socket.destroy(),
  };
}

/** Resolves at the end of the body. */
export function readBody(response: OutboundResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    response.pipeTo({
      write: () => true,
      onDrain: () => undefined,
      end: () => resolve(),
      abort: () => reject(new Error('an answer was aborted')),
      onClose: () => undefined,
    });
  });
}
