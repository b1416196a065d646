import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { isConfigError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type Certificate, formatCertificatePem, OID, parseCertificate, parseCertificatesPem } from './certificate.ts';
import {
  CA_VALIDITY,
  createCa,
  issueClientCertificate,
  issueServerCertificate,
  LEAF_VALIDITY,
  renewCa,
  servingNames,
} from './certificates.ts';
import { canonicalIp, formatIp } from './ip.ts';
import { parsePrivateKeyPem, parsePublicKeysPem } from './keys.ts';
import { type VerifyResult, verifyCertificate } from './verify-certificate.ts';
import { verifySignature } from './verify-signature-node.ts';
import { CertificatePool } from './x509/certificate-pool.ts';

const clock = new VirtualClock();
const now = clock.now();
const ca = await createCa({ commonName: 'kubernetes', clock });
const client = await issueClientCertificate(ca, { clock, user: 'jane', groups: ['dev', 'système:ops'] });
const server = await issueServerCertificate(ca, { clock, hosts: ['API.example.com.', '10.0.0.1', '[fd00::0001]'] });

function verify(
  [leaf, ...others]: readonly Certificate[],
  roots: readonly Certificate[],
  at = now,
  usage: 'client' | 'server' = 'client',
): VerifyResult {
  return verifyCertificate(leaf as Certificate, {
    roots: new CertificatePool(roots),
    intermediates: new CertificatePool(others),
    now: at,
    usage,
    verifySignature,
  });
}

function changed(bytes: Uint8Array, at: number, change: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] as number) ^ change;
  return copy;
}

describe('an authority', () => {
  it('is accepted by Node as an authority and valid for ten years', () => {
    const node = new X509Certificate(ca.certificatePem);
    expect(node.ca).toBe(true);
    expect(node.checkIssued(node)).toBe(true);
    expect(node.verify(node.publicKey)).toBe(true);
    expect(Date.parse(node.validTo)).toBe(now + CA_VALIDITY);
    expect(ca.certificate.notAfter).toBe(now + CA_VALIDITY);
  });

  it('keeps name, key and key id when renewed, and its certificates still verify', async () => {
    const later = new VirtualClock(now + CA_VALIDITY - 1000);
    const renewed = await renewCa(ca, { clock: later });
    expect(renewed.certificate.subjectBytes).toEqual(ca.certificate.subjectBytes);
    expect(renewed.certificate.extensions.subjectKeyId).toEqual(ca.certificate.extensions.subjectKeyId);
    expect(
      new X509Certificate(client.certificatePem).verify(new X509Certificate(renewed.certificatePem).publicKey),
    ).toBe(true);
    // From 2050 on, times are GeneralizedTime.
    const far = await renewCa(ca, { clock: new VirtualClock(Date.UTC(2049, 11, 31, 23, 59, 59)) });
    expect(Date.parse(new X509Certificate(far.certificatePem).validTo)).toBe(far.certificate.notAfter);
  });

  it('issues no certificate that outlives it, and none after it has expired', async () => {
    const late = new VirtualClock(now + CA_VALIDITY - 1000);
    const short = await issueClientCertificate(ca, { clock: late, user: 'x' });
    expect(short.certificate.notAfter).toBe(ca.certificate.notAfter);
    const over = issueClientCertificate(ca, { clock: new VirtualClock(now + CA_VALIDITY), user: 'x' });
    await expect(over).rejects.toSatisfy(isConfigError);
  });

  it('may have an RSA or P-384 key', async () => {
    for (const pair of [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    ]) {
      const key = await parsePrivateKeyPem(String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })));
      const other = await createCa({ commonName: 'other', clock, key: key! });
      const leaf = await issueClientCertificate(other, { clock, user: 'x' });
      expect(new X509Certificate(leaf.certificatePem).verify(pair.publicKey)).toBe(true);
      expect(verify([leaf.certificate], [other.certificate])).toMatchObject({ ok: true });
    }
  });
});

describe('a client certificate', () => {
  it('contains the user and the groups', () => {
    expect(client.certificate.commonName).toBe('jane');
    expect(client.certificate.organizations).toEqual(['dev', 'système:ops']);
    expect(client.certificate.extensions.extendedKeyUsage).toEqual([OID.clientAuth]);
    expect(client.certificate.extensions.isCa).toBe(false);
    const node = new X509Certificate(client.certificatePem);
    expect(node.subject).toBe('O=dev\nO=système:ops\nCN=jane');
    expect(node.serialNumber.toLowerCase()).toBe(client.certificate.serialNumber);
    expect(Date.parse(node.validTo)).toBe(now + LEAF_VALIDITY);
  });

  it('requires a user', async () => {
    await expect(issueClientCertificate(ca, { clock, user: '' })).rejects.toSatisfy(isConfigError);
  });

  it('has a unique serial number', async () => {
    const again = await issueClientCertificate(ca, { clock, user: 'jane' });
    expect(again.certificate.serialNumber).not.toBe(client.certificate.serialNumber);
  });

  it('is accepted as a source of a public key', async () => {
    const [key] = await parsePublicKeysPem(client.certificatePem);
    expect(key?.keyId).toBe(client.key.publicKey.keyId);
  });
});

describe('a serving certificate', () => {
  it('contains the fixed hosts and the given ones', () => {
    expect(server.certificate.extensions.alternativeNames?.dnsNames).toEqual([
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      'localhost',
      'api.example.com',
    ]);
    expect(server.certificate.extensions.alternativeNames?.ipAddresses.map(formatIp)).toEqual([
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      'fd00::1',
    ]);
    const node = new X509Certificate(server.certificatePem);
    expect(node.checkHost('kubernetes.default.svc')).toBeDefined();
    expect(node.checkIP('fd00::1')).toBeDefined();
  });

  it('rejects hosts that are neither DNS names nor IP addresses', () => {
    for (const host of ['', 'a b', 'a..b', '-a', '10.0.0.256', 'a:80', 'x'.repeat(64), '*.*.a', 'bücher'])
      expect(() => servingNames([host])).toThrow(/neither a DNS name nor an IP address/);
    expect(servingNames(['*.example.com', '127.0.0.1', 'LOCALHOST']).dnsNames).toContain('*.example.com');
    expect(servingNames(['LOCALHOST', '127.0.0.1'])).toEqual(servingNames([]));
  });

  it('completes a TLS handshake with a client certificate', async () => {
    const real = await createCa({ commonName: 'kubernetes', clock: systemClock });
    const serving = await issueServerCertificate(real, { clock: systemClock });
    const user = await issueClientCertificate(real, { clock: systemClock, user: 'jane', groups: ['a', 'b'] });
    const listener = createServer({
      cert: serving.certificatePem,
      key: serving.keyPem,
      ca: real.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const accepted = once(listener, 'secureConnection');
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'kubernetes.default.svc',
      ca: real.certificatePem,
      cert: user.certificatePem,
      key: user.keyPem,
    });
    await once(socket, 'secureConnect');
    const [peer] = (await accepted) as [TLSSocket];
    expect(socket.authorized).toBe(true);
    expect(peer.authorized).toBe(true);
    expect(peer.getPeerCertificate().subject).toMatchObject({ CN: 'jane', O: ['a', 'b'] });
    socket.destroy();
    peer.destroy();
    listener.close();
    await once(listener, 'close');
  });
});

describe('the certificate verifier', () => {
  it('accepts a certificate of the authority for the requested usage', () => {
    expect(verify([client.certificate], [ca.certificate])).toMatchObject({ ok: true });
    expect(verify([server.certificate], [ca.certificate], now, 'server')).toMatchObject({ ok: true });
  });

  it('rejects the other usage', () => {
    const message = 'x509: certificate specifies an incompatible key usage';
    expect(verify([server.certificate], [ca.certificate])).toEqual({ ok: false, message });
    expect(verify([client.certificate], [ca.certificate], now, 'server')).toEqual({ ok: false, message });
  });

  it('rejects times outside of the validity, whose ends are included', () => {
    const { notBefore, notAfter } = client.certificate;
    expect(verify([client.certificate], [ca.certificate], notBefore)).toMatchObject({ ok: true });
    expect(verify([client.certificate], [ca.certificate], notAfter)).toMatchObject({ ok: true });
    expect(verify([client.certificate], [ca.certificate], notAfter + 1000)).toEqual({
      ok: false,
      message:
        'x509: certificate has expired or is not yet valid: current time 2031-01-01T00:00:01Z is after 2031-01-01T00:00:00Z',
    });
    expect(verify([client.certificate], [ca.certificate], notBefore - 1000)).toMatchObject({ ok: false });
  });

  it('rejects another authority, also one with the same name', async () => {
    const message = 'x509: certificate signed by unknown authority';
    expect(verify([client.certificate], [])).toEqual({ ok: false, message });
    const other = await createCa({ commonName: 'other', clock });
    expect(verify([client.certificate], [other.certificate])).toEqual({ ok: false, message });
    const twin = await createCa({ commonName: 'kubernetes', clock });
    expect(verify([client.certificate], [twin.certificate])).toEqual({
      ok: false,
      message: `${message} (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "kubernetes")`,
    });
    expect(verify([client.certificate], [twin.certificate, ca.certificate])).toMatchObject({ ok: true });
  });

  it('rejects an issuer that is not an authority', async () => {
    const forged = await issueClientCertificate(client, { clock, user: 'system:admin' });
    expect(verify([forged.certificate, client.certificate], [ca.certificate])).toMatchObject({ ok: false });
  });

  it('rejects a change of any signed byte', () => {
    const { der } = client.certificate;
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const certificate = parseCertificate(changed(der, at, change));
        if (certificate === undefined) return;
        const { ok } = verify([certificate], [ca.certificate]);
        expect(ok).toBe(false);
      }),
      { numRuns: 300, seed: 4 },
    );
  });
});

describe('the certificate parser', () => {
  it('reads bundles and rejects malformed certificates', () => {
    const bundle = `# comment\n${ca.certificatePem}\n${client.certificatePem}`;
    expect(parseCertificatesPem(bundle)?.map((one) => one.commonName)).toEqual(['kubernetes', 'jane']);
    expect(
      parseCertificatesPem(`${ca.certificatePem}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`),
    ).toBeUndefined();
    expect(parseCertificatesPem('')).toEqual([]);
    expect(formatCertificatePem(ca.certificate)).toBe(ca.certificatePem);
  });

  it('never throws for any bytes', () => {
    const seeds = [ca.certificate.der, server.certificate.der];
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 8 }), (which, at, bytes) => {
        const der = Uint8Array.from(seeds[which % 2] as Uint8Array);
        der.set(bytes.subarray(0, Math.max(0, der.length - (at % der.length))), at % der.length);
        parseCertificate(der);
        parseCertificate(der.subarray(0, at % der.length));
        parseCertificate(bytes);
      }),
      { numRuns: 500, seed: 4 },
    );
  });

  it('formats addresses canonically', () => {
    const cases = [
      ['10.1.2.3', '10.1.2.3'],
      ['0:0:0:0:0:0:0:0', '::'],
      ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
      ['1:2:3:4:5:6:0:8', '1:2:3:4:5:6:0:8'],
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
      ['1::', '1::'],
    ] as const;
    for (const [text, expected] of cases) expect(canonicalIp(text)).toBe(expected);
    for (const text of [
      '',
      '1.2.3',
      '01.2.3.4',
      '1.2.3.256',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1.2.3.4::',
      'g::',
      'fe80::1%eth0',
      '1:2:3:4:5:6:7::8:9',
    ])
      expect(canonicalIp(text)).toBeUndefined();
  });
});
