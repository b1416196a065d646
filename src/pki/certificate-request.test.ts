import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../base/base64.ts';
import { REQUESTS } from './certificate-request.fixtures.ts';
import {
  type CertificateRequest,
  certificateRequestProblem,
  keyFacts,
  parseCertificateRequest,
  parseCertificateRequestPem,
} from './certificate-request.ts';
import { name, testKey, writeRequest } from './certificate-writer.fixtures.ts';
import { formatPem } from './pem.ts';

function read(base64: string, change?: (der: Uint8Array) => void): CertificateRequest {
  const der = decodeBase64(base64) ?? new Uint8Array();
  change?.(der);
  const parsed = parseCertificateRequest(der);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.request;
}

describe('a certificate request', () => {
  it.each([
    ['ec', { commonName: '', organizations: ['x'] }, 'x509: ECDSA verification failure'],
    ['rsa', { commonName: 'a', organizations: [] }, 'crypto/rsa: verification error'],
    ['ed25519', { commonName: 'e', organizations: [] }, 'x509: Ed25519 verification failure'],
  ] as const)('of an %s key is read, and known to be signed with it', async (kind, names, failure) => {
    const request = read(REQUESTS[kind]);
    expect(request).toMatchObject(names);
    expect(keyFacts(request.spki)?.type).toBe(kind);
    expect(await certificateRequestProblem(request)).toBeUndefined();
    const flipped = read(REQUESTS[kind], (der) => {
      der[der.length - 1] = (der[der.length - 1] as number) ^ 1;
    });
    expect(await certificateRequestProblem(flipped)).toBe(failure);
  });

  it.each([
    ['RSA-2048', { hash: 'sha1' }],
    ['RSA-2048', { hash: 'sha512' }],
    ['RSA-2048', { isPss: true }],
    ['RSA-2048', { isPss: true, hash: 'sha384' }],
    ['P-256', { hash: 'sha1' }],
    ['P-521', { hash: 'sha256' }],
  ] as const)('of a %s key may be signed with %j', async (type, signature) => {
    const signed = parseCertificateRequest(writeRequest(name('a'), testKey(type, 0), signature));
    expect(signed.ok && (await certificateRequestProblem(signed.request))).toBeUndefined();
    const broken = parseCertificateRequest(writeRequest(name('a'), testKey(type, 0), { ...signature, isBroken: true }));
    expect(broken.ok && (await certificateRequestProblem(broken.request))).toMatch(/verification (error|failure)$/);
  });

  it.each([
    ['RSA-2048', { hash: 'md5' }, 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    ['RSA-2048', { isPss: true, saltLength: 20 }, 'x509: cannot verify signature: algorithm unimplemented'],
    ['RSA-2048', { hash: 'sha224' }, 'x509: cannot verify signature: algorithm unimplemented'],
    ['P-224', {}, 'x509: cannot verify signature: algorithm unimplemented'],
  ] as const)('of a %s key must not be signed with %j', async (type, signature, problem) => {
    const signed = parseCertificateRequest(writeRequest(name('a'), testKey(type, 0), signature));
    expect(signed.ok && (await certificateRequestProblem(signed.request))).toBe(problem);
  });

  it('has the size of an RSA key', () => {
    expect(keyFacts(read(REQUESTS.rsa).spki)).toEqual({ type: 'rsa', bits: 2048, curve: '' });
    expect(keyFacts(read(REQUESTS.ec).spki)).toEqual({ type: 'ec', bits: 0, curve: '1.2.840.10045.3.1.7' });
    expect(keyFacts(Uint8Array.of(1, 2, 3))).toBeUndefined();
  });

  it('is read from the first PEM block', () => {
    const der = decodeBase64(REQUESTS.ec) as Uint8Array;
    expect(parseCertificateRequestPem(formatPem('CERTIFICATE REQUEST', der)).ok).toBe(true);
    const problem = 'PEM block type must be CERTIFICATE REQUEST';
    expect(parseCertificateRequestPem(formatPem('CERTIFICATE', der))).toEqual({ ok: false, problem });
    expect(parseCertificateRequestPem('')).toEqual({ ok: false, problem });
  });

  it('is rejected without an exception, for every changed byte', async () => {
    const der = decodeBase64(REQUESTS.ec) as Uint8Array;
    for (let i = 0; i < der.length; i++) {
      const damaged = Uint8Array.from(der);
      damaged[i] = (damaged[i] as number) ^ 0xff;
      const parsed = parseCertificateRequest(damaged);
      if (parsed.ok) expect(await certificateRequestProblem(parsed.request)).toBeDefined();
    }
  });
});
