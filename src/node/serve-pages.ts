/** A plain HTTP server for the pages of a program: probes, metrics, debugging. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError, toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';

export interface PageServerOptions {
  /** Default: 127.0.0.1. Use 0.0.0.0 in a pod, where the kubelet sends probes. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Called when requests are accepted, with the URL. Default: nothing. */
  readonly onListening?: (url: string) => void;
}

/** Serves one request. `pages` of a manager is such a function. */
export type Pages = (request: {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
}) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>;

/** A request that takes longer is closed. Probes and scrapes are short. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 100;

/**
 * Returns a function for the option `serve` of a manager: `run({ serve: servePages({ port: 8080 }) })`. It rejects with
 * ConfigError if the address cannot be used. There is neither TLS nor authentication: do not expose it to a network
 * that you do not trust.
 */
export function servePages(
  options: PageServerOptions = {},
): (pages: Pages) => Promise<Stoppable & { readonly url: string }> {
  const { host = '127.0.0.1', port = 0 } = options;
  return async (pages) => {
    const server = createServer(
      { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
      (request, response) => {
        void answer(pages, request, response);
      },
    );
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(new ConfigError(`cannot serve pages on ${host}:${port}: ${error.message}`)),
      );
      server.listen(port, host, resolve);
    });
    const { address, family, port: bound } = server.address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
    options.onListening?.(url);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return stopping;
    };
    return { url, stop, [Symbol.asyncDispose]: stop };
  };
}

async function answer(pages: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  try {
    const { status, contentType, body } = await pages({ method: request.method ?? 'GET', target: request.url ?? '/' });
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : body);
  } catch (caught) {
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`${toError(caught).message}\n`);
  }
}
