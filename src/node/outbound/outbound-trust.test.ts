import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { systemClock } from '../../base/clock.ts';
import { isTransportError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { type Certificate, parseCertificate } from '../../pki/certificate.ts';
import {
  alternativeNames,
  basicConstraints,
  extendedKeyUsage,
  name,
  testKey,
  writeCertificate,
} from '../../pki/certificate-writer.fixtures.ts';
import { createCa, issueServerCertificate } from '../../pki/certificates.ts';
import { formatPem } from '../../pki/pem.ts';
import { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import { createOutboundClient, type OutboundClientOptions } from './outbound-client.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const clock = systemClock;
const root = await createCa({ commonName: 'root', clock });
const middle = await createCa({ commonName: 'middle', clock, issuer: root });
const serving = await issueServerCertificate(middle, { clock });
const chain = `${serving.certificatePem}${middle.certificatePem}`;

/**
 * Serves with a certificate. `received` waits until all connections are closed, and returns the number of bytes after
 * their handshakes.
 */
async function serve(options: TlsOptions): Promise<{ url: string; received: () => Promise<number> }> {
  let received = 0;
  const closed: Promise<unknown>[] = [];
  const server = createHttpsServer(options, (request, response) => {
    request.resume();
    response.end('here');
  });
  server.on('secureConnection', (socket) => socket.on('data', (chunk: Buffer) => (received += chunk.length)));
  server.on('connection', (socket) => closed.push(once(socket, 'close')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: async () => {
      await Promise.all(closed);
      return received;
    },
  };
}

type Way = 'post' | 'http/1.1' | 'negotiate' | 'upgrade';
const WAYS: readonly Way[] = ['post', 'http/1.1', 'negotiate', 'upgrade'];

/** Sends a request. Returns 'here' or the message of the failure. */
async function ask(url: string, ca: string, way: Way = 'post', options: OutboundClientOptions = {}): Promise<string> {
  const client = createOutboundClient(options);
  stops.push(() => client.stop());
  const target = { url, ca };
  try {
    if (way === 'post') {
      const body = { body: encodeUtf8('secret'), contentType: 'text/plain', timeoutMs: 9000, answerBytes: 99 };
      return decodeUtf8((await client.post({ ...target, ...body })).body);
    }
    const common = { ...target, method: 'GET', headers: { authorization: 'Bearer secret' } };
    if (way === 'upgrade') {
      const answer = await client.upgrade({ ...common, upgrade: 'x' });
      if (answer.kind === 'response') answer.response.abort();
    } else (await client.request({ ...common, protocol: way })).abort();
    return 'here';
  } catch (caught) {
    if (!isTransportError(caught)) throw caught;
    expect(caught.retryable).toBe(true);
    return caught.message.replace(/^[A-Z][a-z]+ "[^"]*": tls: failed to verify certificate: /, '');
  }
}

describe('trust in other servers', () => {
  it.each(WAYS)('is given to every certificate of the bundle, also a leaf or an intermediate: %s', async (way) => {
    const { url } = await serve({ cert: chain, key: serving.keyPem });
    expect(await ask(url, root.certificatePem, way)).toBe('here');
    expect(await ask(url, middle.certificatePem, way)).toBe('here');
    expect(await ask(url, serving.certificatePem, way)).toBe('here');
    const alone = await serve({ cert: serving.certificatePem, key: serving.keyPem });
    expect(await ask(alone.url, serving.certificatePem, way)).toBe('here');
    expect(await ask(alone.url, middle.certificatePem, way)).toBe('here');
    expect(await ask(alone.url, root.certificatePem, way)).toBe('x509: certificate signed by unknown authority');
  });

  it.each(WAYS)('is checked before anything of the request is sent: %s', async (way) => {
    const { url, received } = await serve({ cert: chain, key: serving.keyPem });
    const stranger = await createCa({ commonName: 'root', clock });
    expect(await ask(url, stranger.certificatePem, way)).toBe(
      'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "root")',
    );
    const named = await ask(url.replace('127.0.0.1', 'localhost'), stranger.certificatePem, way);
    expect(named).toContain('x509: certificate signed by unknown authority');
    expect(await received()).toBe(0);
  });

  it('does not fall back to other authorities for a bundle without a certificate', async () => {
    const { url, received } = await serve({ cert: chain, key: serving.keyPem });
    const systemRoots = (): CertificatePool => new CertificatePool([root.certificate]);
    expect(await ask(url, '\n', 'post', { systemRoots })).toContain(
      'unable to load root certificates: unable to parse bytes as PEM block',
    );
    expect(await ask(url, serving.keyPem, 'post', { systemRoots })).toContain(
      'unable to load root certificates: no valid certificate authority data seen',
    );
    expect(await received()).toBe(0);
    expect(await ask(url, '', 'post', { systemRoots })).toBe('here');
    expect(await ask(url, '')).toContain('x509: certificate signed by unknown authority');
  });

  it('depends on the time, the usage and the name', async () => {
    const { url } = await serve({ cert: chain, key: serving.keyPem });
    const later = { clock: new VirtualClock(serving.certificate.notAfter + 1000) };
    expect(await ask(url, root.certificatePem, 'post', later)).toMatch(/^x509: certificate has expired .* is after /);
    const other = url.replace('127.0.0.1', '127.0.0.2');
    const { port } = new URL(url);
    const client = createOutboundClient();
    stops.push(() => client.stop());
    const misdirected = client.request({
      url: other,
      address: { host: '127.0.0.1', port: Number(port) },
      ca: root.certificatePem,
      method: 'GET',
      headers: {},
    });
    // The address is valid for the certificate, but it is not the host of the URL.
    await expect(misdirected).rejects.toThrow('x509: certificate is valid for 127.0.0.1, ::1, not 127.0.0.2');
    for (const [extensions, message] of [
      [[alternativeNames([['ip', Uint8Array.of(127, 0, 0, 1)]]), extendedKeyUsage(['1.3.6.1.5.5.7.3.2'])], 'usage'],
      [
        [basicConstraints(false)],
        "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
      ],
    ] as const) {
      const [certificate, key] = selfSigned(extensions);
      const { url: own } = await serve({ cert: formatPem('CERTIFICATE', certificate.der), key });
      expect(await ask(own, formatPem('CERTIFICATE', certificate.der))).toContain(message);
    }
  });

  it('is not given to a connection that was not verified, after one that was', async () => {
    const { url } = await serve({ cert: chain, key: serving.keyPem });
    const client = createOutboundClient();
    stops.push(() => client.stop());
    const get = async (ca: string): Promise<void> =>
      (await client.request({ url, ca, method: 'GET', headers: {} })).abort();
    await get(root.certificatePem);
    const stranger = await createCa({ commonName: 'stranger', clock });
    await expect(get(stranger.certificatePem)).rejects.toThrow('x509: certificate signed by unknown authority');
    await get(root.certificatePem);
  });

  it('is lost by a server that closes the connection in the handshake', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const client = createOutboundClient();
    stops.push(() => client.stop());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(client.request({ url, ca: root.certificatePem, method: 'GET', headers: {} })).rejects.toThrow(/EOF/);
  });

  it.each([
    ['TLSv1.3', 'certificate required'],
    ['TLSv1.2', 'handshake failure'],
  ] as const)('is asked for by a server that requires a certificate over %s', async (maxVersion, alert) => {
    const requires = { requestCert: true, rejectUnauthorized: true, ca: root.certificatePem, maxVersion };
    const { url } = await serve({ cert: chain, key: serving.keyPem, ...requires });
    const client = createOutboundClient();
    stops.push(() => client.stop());
    const body = { body: encodeUtf8('secret'), contentType: 'text/plain', timeoutMs: 9000, answerBytes: 99 };
    // Over TLS 1.3 the alert comes after the end of the handshake.
    await expect(client.post({ url, ca: root.certificatePem, ...body })).rejects.toMatchObject({
      message: `Post "${url}": remote error: tls: ${alert}`,
      retryable: maxVersion === 'TLSv1.2',
    });
  });

  it('is not waited for after stop', async () => {
    const accepted = createTlsServer({});
    const silent = createTcpServer((socket) => {
      accepted.emit('silent');
      socket.on('error', () => {});
      stops.push(() => socket.destroy());
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    stops.push(() => silent.close());
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    for (const way of WAYS) {
      const client = createOutboundClient();
      const reached = once(accepted, 'silent');
      const common = { url, ca: root.certificatePem, method: 'GET', headers: {} };
      const call = { body: encodeUtf8(''), contentType: '', timeoutMs: 60_000, answerBytes: 9 };
      const pending =
        way === 'post'
          ? client.post({ ...common, ...call })
          : way === 'upgrade'
            ? client.upgrade({ ...common, upgrade: 'x' })
            : client.request({ ...common, protocol: way });
      const outcome = expect(pending).rejects.toThrow('the server is shutting down');
      await reached;
      await client.stop();
      await outcome;
    }
  });
});

function selfSigned(extensions: readonly Uint8Array[]): [Certificate, string] {
  const key = testKey('P-256', 0);
  const subject = name('server');
  const der = writeCertificate({
    version: 3,
    serial: Uint8Array.of(1),
    subject,
    issuer: subject,
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + 60_000,
    key,
    signer: key,
    signature: {},
    extensions,
  });
  return [parseCertificate(der) as Certificate, String(key.privateKey.export({ type: 'pkcs8', format: 'pem' }))];
}
