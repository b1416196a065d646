import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { isConfigError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import {
  basicConstraints,
  type CertificateTemplate,
  extendedKeyUsage,
  name,
  testKey,
  writeCertificate,
} from '../pki/certificate-writer.fixtures.ts';
import { createCa, issueClientCertificate, issueServerCertificate } from '../pki/certificates.ts';
import { formatPem } from '../pki/pem.ts';
import type { Connection } from '../server/http/exchange.ts';
import { certificates, clock, listen, readAll, stopAll, text } from './listener.fixtures.ts';
import type { Listener } from './listener.ts';
import type { TlsConfig } from './tls/tls-config.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

async function tlsConfig(more: Partial<TlsConfig> = {}): Promise<TlsConfig> {
  const { server } = await certificates();
  return { key: server.keyPem, cert: server.certificatePem, ...more };
}

async function dial(listener: Listener, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: listener.address, port: listener.port, rejectUnauthorized: false, ...options });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Returns what the handler sees of a client with these options. */
async function seenBy(listener: Listener, seen: Connection[], options: ConnectionOptions): Promise<Connection> {
  const socket = await dial(listener, options);
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  await readAll(socket);
  return seen.pop() as Connection;
}

describe('TLS', () => {
  it('prefers AES-128-GCM and supports 1.2 and 1.3', async () => {
    const listener = await listen(() => text('x'));
    open.push(listener);
    const ciphers = [];
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const socket = await dial(listener, { maxVersion });
      ciphers.push(socket.getCipher().name);
      socket.destroy();
    }
    expect(ciphers).toEqual(['TLS_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256']);
    await expect(dial(listener, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
  });

  it('selects the certificate by server name, and uses new ones after setTls', async () => {
    const { ca, server } = await certificates();
    const named = await issueServerCertificate(ca, { clock, hosts: ['a.example.org'], commonName: 'named' });
    const wild = await issueServerCertificate(ca, { clock, commonName: 'wild' });
    const sni = [
      { key: named.keyPem, cert: named.certificatePem, names: ['A.example.org'] },
      { key: wild.keyPem, cert: wild.certificatePem, names: ['*.example.com'] },
    ];
    const listener = await listen(() => text('x'), { tls: await tlsConfig({ sni }) });
    open.push(listener);
    const shown = async (servername: string): Promise<string | string[] | undefined> => {
      const socket = await dial(listener, { servername });
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return name;
    };
    expect(await shown('a.example.org')).toBe('named');
    expect(await shown('b.example.com')).toBe('wild');
    expect(await shown('b.b.example.com')).toBe('kube-apiserver');
    expect(await shown('localhost')).toBe('kube-apiserver');
    const other = await issueServerCertificate(ca, { clock, commonName: 'other' });
    listener.setTls({ key: other.keyPem, cert: other.certificatePem });
    expect(await shown('a.example.org')).toBe('other');
    // Without names, those of the certificate are used.
    listener.setTls(await tlsConfig({ sni: [{ key: named.keyPem, cert: named.certificatePem }] }));
    expect(await shown('a.example.org')).toBe('named');
    expect(await shown('c.example.org')).toBe('kube-apiserver');
    const broken: unknown[] = [];
    for (const tls of [
      { key: server.keyPem, cert: 'nonsense' },
      { key: named.keyPem, cert: server.certificatePem },
      await tlsConfig({ clientCa: { client: ca.certificatePem } }),
    ]) {
      try {
        listener.setTls(tls);
      } catch (caught) {
        broken.push(isConfigError(caught));
      }
    }
    expect(broken).toEqual([true, true, true]);
    expect(await shown('a.example.org')).toBe('named');
  });

  it('rejects a malformed certificate with a ConfigError', async () => {
    const error = await listen(() => text('x'), { tls: { key: 'x', cert: 'y' } }).catch((caught: unknown) => caught);
    expect(isConfigError(error)).toBe(true);
    expect((error as Error).message).toContain('the serving certificate and its key cannot be used: ');
    const noCa = await listen(() => text('x'), { tls: await tlsConfig({ clientCa: { client: '' } }) }).catch(
      (caught: unknown) => caught,
    );
    expect((noCa as Error).message).toBe('the certificate authority "client" holds no PEM certificate');
  });
});

describe('client certificates', () => {
  it('are verified per authority, and one that does not verify is a problem without an identity', async () => {
    const client = await createCa({ clock, commonName: 'same-name' });
    const proxy = await createCa({ clock, commonName: 'same-name' });
    const stranger = await createCa({ clock, commonName: 'stranger' });
    const seen: Connection[] = [];
    const listener = await listen(
      (incoming) => {
        seen.push(incoming.connection);
        incoming.connection.certificate();
        return text('x');
      },
      { tls: await tlsConfig({ clientCa: { client: client.certificatePem, 'front-proxy': proxy.certificatePem } }) },
    );
    open.push(listener);
    const user = await issueClientCertificate(client, { clock, user: 'jane, "the" admin', groups: ['b', 'a'] });
    const front = await issueClientCertificate(proxy, { clock, user: 'proxy', groups: ['system:masters'] });
    const forged = await issueClientCertificate(stranger, { clock, user: 'jane', groups: ['system:masters'] });
    const pair = (one: typeof user): ConnectionOptions => ({ key: one.keyPem, cert: one.certificatePem });

    const jane = await seenBy(listener, seen, pair(user));
    expect(jane.certificate()).toMatchObject({ commonName: 'jane, "the" admin', authorities: ['client'] });
    expect([...(jane.certificate()?.organizations ?? [])].sort()).toEqual(['a', 'b']);
    expect(jane.certificateProblem('client')).toBeUndefined();
    expect(jane.certificateProblem('front-proxy')).toBe(
      'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "same-name")',
    );
    expect((await seenBy(listener, seen, pair(front))).certificate()).toMatchObject({ authorities: ['front-proxy'] });
    const unknown = await seenBy(listener, seen, pair(forged));
    expect(unknown.certificate()).toBeUndefined();
    expect(unknown.certificateProblem('client')).toBe('x509: certificate signed by unknown authority');
    const none = await seenBy(listener, seen, {});
    expect([none.certificate(), none.certificateProblem('client')]).toEqual([undefined, undefined]);
    // Sending the other authority's certificate too does not help.
    const mixed = { key: front.keyPem, cert: `${front.certificatePem}${client.certificatePem}` };
    expect((await seenBy(listener, seen, mixed)).certificate()?.authorities).toEqual(['front-proxy']);
  });

  it('of an intermediate authority are accepted with its certificate, on every connection', async () => {
    const root = await createCa({ clock, commonName: 'root' });
    const middle = await createCa({ clock, commonName: 'middle', issuer: root });
    const seen: Connection[] = [];
    const listener = await listen(
      (incoming) => {
        seen.push(incoming.connection);
        incoming.connection.certificate();
        return text('x');
      },
      {
        tls: await tlsConfig({
          clientCa: {
            'front-proxy': (await createCa({ clock, commonName: 'other' })).certificatePem,
            client: root.certificatePem,
          },
        }),
      },
    );
    open.push(listener);
    const user = await issueClientCertificate(middle, { clock, user: 'jane' });
    const leaf: ConnectionOptions = { key: user.keyPem, cert: user.certificatePem };
    const chain: ConnectionOptions = { ...leaf, cert: `${user.certificatePem}${middle.certificatePem}` };
    const socket = await dial(listener, chain);
    let session: Buffer | undefined;
    socket.on('session', (given) => {
      session = given;
    });
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await readAll(socket);
    expect(seen.pop()?.certificate()).toMatchObject({ commonName: 'jane', authorities: ['client'] });
    const again = await seenBy(listener, seen, { ...chain, ...(session === undefined ? {} : { session }) });
    expect(again.certificate()?.commonName).toBe('jane');
    expect((await seenBy(listener, seen, leaf)).certificate()).toBeUndefined();
    // A certificate that is not a CA cannot issue another.
    const signed = await issueClientCertificate(user, { clock, user: 'mallory' });
    const cert = `${signed.certificatePem}${user.certificatePem}${middle.certificatePem}`;
    expect((await seenBy(listener, seen, { key: signed.keyPem, cert })).certificate()).toBeUndefined();
  });

  it('are rejected once they expire, also on an open connection', async () => {
    const ca = await createCa({ clock, commonName: 'ca' });
    const user = await issueClientCertificate(ca, { clock, user: 'jane', validity: 60_000 });
    const virtual = new VirtualClock(Date.now());
    const seen: Connection[] = [];
    const listener = await listen(
      (incoming) => {
        seen.push(incoming.connection);
        return text(incoming.connection.certificate()?.commonName ?? 'nobody');
      },
      { tls: await tlsConfig({ clientCa: { client: ca.certificatePem } }), clock: virtual },
    );
    open.push(listener);
    const socket = await dial(listener, { key: user.keyPem, cert: user.certificatePem });
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'data');
    expect(seen[0]?.certificate()?.commonName).toBe('jane');
    await virtual.advance(65_000);
    expect(seen[0]?.certificate()).toBeUndefined();
    expect(seen[0]?.certificateProblem('client')).toMatch(
      /^x509: certificate has expired or is not yet valid: current time .*Z is after .*Z$/,
    );
    socket.destroy();
  });

  it('of a root of version 1 are accepted; of a root of version 3 without basic constraints they are not', async () => {
    for (const version of [1, 3] as const) {
      const root = issue('root', 'root', { version });
      const user = issue('jane', 'root', { key: testKey('P-256', 1), extensions: CLIENT_USAGE });
      const seen: Connection[] = [];
      const listener = await listen(
        (incoming) => {
          seen.push(incoming.connection);
          return text('x');
        },
        { tls: await tlsConfig({ clientCa: { client: pemOf(root) } }) },
      );
      open.push(listener);
      const client = await seenBy(listener, seen, { key: keyOf(1), cert: pemOf(user) });
      expect(client.certificate()?.commonName).toBe(version === 1 ? 'jane' : undefined);
      if (version === 3)
        expect(client.certificateProblem('client')).toContain(
          'parent certificate cannot sign this kind of certificate',
        );
    }
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('may be sent with certificates that do not fit: %s', async (maxVersion) => {
    const extensions = [basicConstraints(true)];
    const root = issue('root', 'root', { extensions });
    const twin = issue('root', 'root', { key: testKey('P-256', 2), signer: testKey('P-256', 2), extensions });
    const user = issue('jane', 'root', { key: testKey('P-256', 1), extensions: CLIENT_USAGE });
    const seen: Connection[] = [];
    const problems: unknown[] = [];
    const listener = await listen(
      (incoming) => {
        seen.push(incoming.connection);
        return text('x');
      },
      {
        tls: await tlsConfig({ clientCa: { client: pemOf(root) } }),
        onProblem: (problem) => problems.push(problem),
      },
    );
    open.push(listener);
    // OpenSSL takes the twin for the issuer, and its verification fails.
    const cert = pemOf(user) + pemOf(twin);
    expect((await seenBy(listener, seen, { key: keyOf(1), cert, maxVersion })).certificate()?.commonName).toBe('jane');
    expect(problems).toEqual([]);
  });

  it.each([true, false])('are asked for with the names of the authorities if wanted: %s', async (namesClientCa) => {
    const root = issue('the name of an authority', 'root', { extensions: [basicConstraints(true)] });
    const tls = await tlsConfig({ clientCa: { client: pemOf(root) }, namesClientCa });
    const listener = await listen(() => text('x'), { tls });
    open.push(listener);
    // TLS 1.2 sends the names unencrypted.
    const received: Buffer[] = [];
    const relay = createServer((near) => {
      const far = connectTcp(listener.port, listener.address);
      far.on('data', (chunk: Buffer) => received.push(chunk));
      for (const socket of [near, far]) socket.on('error', () => {});
      near.pipe(far).pipe(near);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    socket.destroy();
    relay.close();
    expect(Buffer.concat(received).includes(Buffer.from(name('the name of an authority')))).toBe(namesClientCa);
  });
});

const CLIENT_USAGE = [extendedKeyUsage(['1.3.6.1.5.5.7.3.2'])];

function issue(subject: string, issuer: string, change: Partial<CertificateTemplate>): Uint8Array {
  return writeCertificate({
    version: 3,
    serial: Uint8Array.of(1),
    subject: name(subject),
    issuer: name(issuer),
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + 60_000,
    key: testKey('P-256', 0),
    signer: testKey('P-256', 0),
    signature: {},
    extensions: [],
    ...change,
  });
}

function pemOf(der: Uint8Array): string {
  return formatPem('CERTIFICATE', der);
}

function keyOf(number: number): string {
  return String(testKey('P-256', number).privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
