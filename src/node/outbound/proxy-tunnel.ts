/** Tunnels through an HTTP proxy (RFC 9110, 9.3.6). */
import { request as sendPlain } from 'node:http';
import type { Socket } from 'node:net';
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { NotSentError } from './errors.ts';
import type { Origin } from './target.ts';

export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  /** The value of the Proxy-Authorization header. */
  readonly authorization: string | undefined;
}

/** `http://user:password@proxy:3128`. */
export function parseProxy(url: string): HttpProxy {
  const { hostname, port, username, password } = new URL(url);
  const basic = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 80 : Number(port),
    authorization: username === '' ? undefined : `Basic ${encodeBase64(encodeUtf8(basic))}`,
  };
}

/** A tunnel that is being made. */
export interface OpeningTunnel {
  /** Rejects with a NotSentError. */
  readonly socket: Promise<Socket>;
  /** Gives up. */
  destroy(error: Error): void;
}

export function openProxyTunnel(proxy: HttpProxy, { host, port }: Pick<Origin, 'host' | 'port'>): OpeningTunnel {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const outgoing = sendPlain({
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
    agent: false,
  });
  const socket = new Promise<Socket>((resolve, reject) => {
    outgoing.on('connect', ({ statusCode = 0 }, made: Socket, head) => {
      if (statusCode >= 200 && statusCode < 300 && head.byteLength === 0) {
        resolve(made);
        return;
      }
      made.destroy();
      reject(new NotSentError(`the proxy ${proxy.host}:${proxy.port} answered CONNECT with ${statusCode}`));
    });
    outgoing.on('error', (cause) =>
      reject(
        cause instanceof NotSentError
          ? cause
          : new NotSentError(`the proxy ${proxy.host}:${proxy.port} cannot be used: ${cause.message}`),
      ),
    );
  });
  outgoing.end();
  return { socket, destroy: (error) => outgoing.destroy(error) };
}
