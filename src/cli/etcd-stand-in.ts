/**
 * The `etcd` of `keelson envtest`: a process that envtest can start, check and stop. This etcd stores nothing. The
 * server that envtest starts beside it recognises it by the response header `MARK` and keeps the objects itself. All
 * flags of etcd are accepted; only `--listen-client-urls` is read.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError, toError } from '../base/errors.ts';

const CLIENT_URLS = 'listen-client-urls';
const DEFAULT_URL = 'http://localhost:2379';
/** A header of every response of this etcd. */
const MARK = 'x-keelson-stores-nothing';
/** The timeout of the probe. A server that does not respond in time is not a stand-in. */
const PROBE_MS = 1_000;

/** Reports whether one of the servers is an etcd of `keelson envtest`. Never rejects. */
export async function isEtcdStandIn(servers: readonly string[]): Promise<boolean> {
  const probe = async (server: string): Promise<boolean> => {
    if (!server.startsWith('http://')) return false;
    try {
      const response = await fetch(`${server}/health`, { signal: AbortSignal.timeout(PROBE_MS) });
      return response.headers.has(MARK);
    } catch {
      return false;
    }
  };
  return (await Promise.all(servers.map(probe))).includes(true);
}

const HELP = `Usage: etcd [FLAGS]

This etcd stores nothing. "keelson envtest" wrote it, so that envtest finds an etcd that starts, answers
GET /health and stops on SIGTERM. Objects are in the kube-apiserver beside it.

Flags:
  --listen-client-urls string   addresses to answer on, http only (default "${DEFAULT_URL}")

All other flags are ignored.`;

/**
 * Answers health checks until SIGTERM or SIGINT, and resolves with the exit code 0. Throws ConfigError if a client URL
 * is invalid or its address cannot be used.
 */
export async function runEtcdStandIn(args: readonly string[]): Promise<number> {
  if (args.some((arg) => ['-h', '-help', '--help', '--version'].includes(arg))) {
    console.log(HELP);
    return 0;
  }
  const addresses = clientUrls(args).map(parseAddress);
  const servers: Server[] = [];
  try {
    for (const address of addresses) servers.push(await listen(address));
    console.error(`this etcd stores nothing; it answers health checks on ${servers.map(boundUrl).join(', ')}`);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  } finally {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
  return 0;
}

/**
 * Returns the URLs of the last such flag, in each form that Go's flag package accepts: `-name value`, `--name=value`.
 */
export function clientUrls(args: readonly string[]): readonly string[] {
  let value = DEFAULT_URL;
  for (const [i, arg] of args.entries()) {
    const [name, ...rest] = arg.replace(/^--?/, '').split('=');
    if (name === CLIENT_URLS && arg.startsWith('-')) value = rest.length > 0 ? rest.join('=') : (args[i + 1] ?? '');
  }
  return value.split(',');
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function parseAddress(text: string): Address {
  if (!URL.canParse(text)) throw new ConfigError(`--${CLIENT_URLS}: ${JSON.stringify(text)} is not a URL`);
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== 'http:')
    throw new ConfigError(`--${CLIENT_URLS}: ${text}: the etcd of keelson envtest answers on http only`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) };
}

async function listen({ host, port }: Address): Promise<Server> {
  const server = createServer(answer);
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  } catch (caught) {
    const cause = toError(caught);
    throw new ConfigError(`cannot listen on ${host}:${port}: ${cause.message}`, { cause });
  }
}

function boundUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function answer({ url }: IncomingMessage, response: ServerResponse): void {
  response.setHeader(MARK, 'true');
  if (url === '/health') response.setHeader('content-type', 'application/json').end('{"health":"true","reason":""}');
  else
    response.writeHead(404).end('This etcd stores nothing: objects are in the kube-apiserver beside it (Keelson).\n');
}
