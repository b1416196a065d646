import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { systemClock } from '../../base/clock.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { issueClientCertificate } from '../../pki/certificates.ts';
import { failure, get, streamOf, textOf } from '../client/client.fixtures.ts';
import { certificates } from '../listener.fixtures.ts';
import { cleanUp, cleanups } from '../proxy.fixtures.ts';
import { type ConnectOptions, connect, type KubeConnection } from './connect.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-connect-'));
});

afterEach(async () => {
  await cleanUp();
  rmSync(folder, { recursive: true });
});

type Handle = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A server that asks for client certificates. Returns its port. */
async function serve(handle: Handle): Promise<number> {
  const { server: pair, ca } = await certificates();
  const server = createSecureServer(
    {
      key: pair.keyPem,
      cert: pair.certificatePem,
      ca: ca.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    handle,
  );
  const sockets = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function open(options: ConnectOptions): Promise<KubeConnection> {
  const connection = await connect({ env: {}, retries: false, ...options });
  cleanups.push(() => connection.stop());
  return connection;
}

/** A kubeconfig file for the server at the port. */
async function config(port: number, cluster: Record<string, unknown> = {}, user: unknown = {}): Promise<string> {
  const { ca } = await certificates();
  const path = join(folder, 'config');
  const text = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    clusters: [
      {
        name: 'c',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority-data': encodeBase64(encodeUtf8(ca.certificatePem)),
          ...cluster,
        },
      },
    ],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(text, undefined, 1));
  return path;
}

async function writeClientCertificate(user: string): Promise<void> {
  const { ca } = await certificates();
  const issued = await issueClientCertificate(ca, { clock: systemClock, user });
  writeFileSync(join(folder, 'cert'), issued.certificatePem);
  writeFileSync(join(folder, 'key'), issued.keyPem);
}

function userOf({ stream }: Http2ServerRequest): string {
  const socket = stream.session?.socket as TLSSocket | undefined;
  return String(socket?.getPeerCertificate().subject?.CN ?? '');
}

describe('connect', () => {
  it('uses the cluster, the namespace and the user agent', async () => {
    const port = await serve(({ headers }, response) => response.end(headers['user-agent'] ?? ''));
    const made = await open({ kubeconfig: await config(port), userAgent: 'my-operator/1.2.0' });
    expect([made.server, made.namespace]).toEqual([`https://127.0.0.1:${port}`, 'team']);
    expect(await textOf(await get(made, '/'))).toMatch(/^my-operator\/1\.2\.0 \(\w+\/\w+\) keelson\/\d+\.\d+\.\d+$/);
    const unnamed = await open({ kubeconfig: await config(port) });
    expect(await textOf(await get(unnamed, '/'))).toMatch(/^keelson\/\d+\.\d+\.\d+ \(\w+\/\w+\)$/);
    const bare = await open({ kubeconfig: await config(port), userAgent: 'my-operator' });
    expect(await textOf(await get(bare, '/'))).toMatch(/^my-operator\/unknown \(/);
    await expect(open({ kubeconfig: await config(port), userAgent: 'a\nb' })).rejects.toThrow('user agent "a\\nb" has');
  });

  it('verifies the server for its host, or for tls-server-name, unless told not to', async () => {
    const port = await serve((_request, response) => response.end('ok'));
    const wrong = await open({ kubeconfig: await config(port, { 'tls-server-name': 'example.com' }) });
    const error = await failure(get(wrong, '/'));
    expect(error).toMatchObject({ keelsonError: 'TransportError' });
    expect((error as Error).message).toContain('tls: failed to verify certificate: x509: certificate is valid for');
    const right = await open({ kubeconfig: await config(port, { 'tls-server-name': 'kubernetes.default' }) });
    expect(await textOf(await get(right, '/'))).toBe('ok');
    const insecure = { 'insecure-skip-tls-verify': true };
    const skipped = { ...insecure, 'certificate-authority-data': undefined, 'tls-server-name': 'example.com' };
    expect(await textOf(await get(await open({ kubeconfig: await config(port, skipped) }), '/'))).toBe('ok');
    await expect(open({ kubeconfig: await config(port, insecure) })).rejects.toThrow(
      'has both insecure-skip-tls-verify',
    );
  });

  it('connects through the proxy of the cluster', async () => {
    const port = await serve((_request, response) => response.end('ok'));
    const asked: unknown[] = [];
    const proxy = createServer();
    const sockets = new Set<Duplex>();
    proxy.on('connect', ({ url = '', headers }, socket) => {
      asked.push([url, headers['proxy-authorization']]);
      sockets.add(socket);
      if (headers['proxy-authorization'] !== 'Basic YTpiIGM=') {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const upstream = connectTcp(Number(url.split(':')[1]), '127.0.0.1');
      for (const end of [socket, upstream]) end.on('error', () => {});
      socket.pipe(upstream).pipe(socket);
      sockets.add(upstream);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const made = await open({ kubeconfig: await config(port, { 'proxy-url': `http://a:b%20c@${host}` }) });
    expect(await textOf(await get(made, '/'))).toBe('ok');
    expect(asked.splice(0)).toEqual([[`127.0.0.1:${port}`, 'Basic YTpiIGM=']]);
    const refused = await open({ kubeconfig: await config(port, { 'proxy-url': `http://${host}` }) });
    const error = await failure(refused.transport({ method: 'POST', target: '/' }));
    expect(error).toMatchObject({ retryable: true });
    expect((error as Error).message).toContain(`the proxy ${host} answered CONNECT with 407`);
    const absent = await open({ kubeconfig: await config(port, { 'proxy-url': 'http://127.0.0.1:1' }) });
    expect(await failure(get(absent, '/'))).toMatchObject({
      message: expect.stringContaining('the proxy 127.0.0.1:1 cannot be used: connect ECONNREFUSED'),
      retryable: true,
    });
  });

  it('uses the service account of a pod if there is no kubeconfig', async () => {
    const port = await serve(({ headers }, response) => response.end(headers.authorization ?? ''));
    const { ca } = await certificates();
    const serviceAccountFolder = join(folder, 'serviceaccount');
    mkdirSync(serviceAccountFolder);
    const write = (name: string, text: string): void => writeFileSync(join(serviceAccountFolder, name), text);
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
    const options = { env, serviceAccountFolder, fallbacks: [join(folder, 'none')] };
    await expect(open(options)).rejects.toThrow('no kubeconfig');
    write('token', 'first\n');
    write('ca.crt', ca.certificatePem);
    write('namespace', 'team\n');
    await expect(open({ ...options, env: {} })).rejects.toThrow('no kubeconfig');
    const clock = new VirtualClock(Date.now());
    const made = await open({ ...options, clock });
    expect([made.server, made.namespace]).toEqual([`https://127.0.0.1:${port}`, 'team']);
    expect(await textOf(await get(made, '/'))).toBe('Bearer first');
    write('token', 'second\n');
    await clock.advance(60_000);
    expect(await textOf(await get(made, '/'))).toBe('Bearer second');
    // A kubeconfig takes precedence.
    const kubeconfig = await config(port, {}, { token: 'mine' });
    expect(await textOf(await get(await open({ ...options, fallbacks: [kubeconfig] }), '/'))).toBe('Bearer mine');
  });

  it('repeats a request once with renewed credentials after a 401', async () => {
    const seen: string[] = [];
    const port = await serve(({ headers }, response) => {
      seen.push(headers.authorization ?? '');
      response.statusCode = headers.authorization === 'Bearer good' ? 200 : 401;
      response.end('x');
    });
    const token = join(folder, 'token');
    writeFileSync(token, 'old');
    const made = await open({ kubeconfig: await config(port, {}, { tokenFile: token }) });
    expect((await get(made, '/')).status).toBe(401);
    expect(seen.splice(0)).toEqual(['Bearer old']);
    writeFileSync(token, 'bad');
    expect((await get(made, '/')).status).toBe(401);
    expect(seen.splice(0)).toEqual(['Bearer old', 'Bearer bad']);
    writeFileSync(token, 'good');
    const statuses = await Promise.all([1, 2, 3].map(async () => (await get(made, '/')).status));
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('presents the client certificate, makes new connections when it changes, and closes the old ones', async () => {
    const clock = new VirtualClock(Date.now());
    const port = await serve((request, response) => {
      if (request.url === '/watch') response.write(userOf(request));
      else response.end(userOf(request));
    });
    await writeClientCertificate('alice');
    const user = { 'client-certificate': 'cert', 'client-key': 'key' };
    const made = await open({ kubeconfig: await config(port, {}, user), clock });
    const watch = streamOf(await get(made, '/watch'))[Symbol.asyncIterator]();
    expect(Buffer.from((await watch.next()).value ?? []).toString()).toBe('alice');
    await writeClientCertificate('bob');
    expect(await textOf(await get(made, '/'))).toBe('alice');
    await clock.advance(60_000);
    expect(await textOf(await get(made, '/'))).toBe('bob');
    const ended = failure(watch.next());
    await clock.advance(30_000);
    expect(await ended).toMatchObject({ keelsonError: 'TransportError', retryable: true });
    expect(await textOf(await get(made, '/'))).toBe('bob');
  });

  it('does not send what a broken client certificate protects', async () => {
    const port = await serve((_request, response) => response.end('ok'));
    writeFileSync(join(folder, 'cert'), 'no certificate');
    writeFileSync(join(folder, 'key'), 'no key');
    const user = { 'client-certificate': 'cert', 'client-key': 'key' };
    const made = await open({ kubeconfig: await config(port, {}, user) });
    expect(await failure(get(made, '/'))).toMatchObject({ keelsonError: 'TransportError' });
  });
});
