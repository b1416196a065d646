import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import {
  formatPrivateKeyPem,
  formatPublicKeyPem,
  generateKey,
  importPrivateKey,
  importPublicKey,
  parsePrivateKeyPem,
  parsePublicKeysPem,
  signBytes,
  verifyBytes,
} from './keys.ts';
import { formatPem, parsePem } from './pem.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const ed25519 = generateKeyPairSync('ed25519');

function nodeKeyId(publicPem: string): string {
  return createHash('sha256')
    .update(createPublicKey(publicPem).export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

describe('a generated key', () => {
  it('signs with P-256, and its public key verifies', async () => {
    const key = await generateKey();
    const signature = await signBytes(key, encodeUtf8('hello'));
    expect(signature).toHaveLength(64);
    expect(await verifyBytes(key.publicKey, signature, encodeUtf8('hello'))).toBe(true);
    expect(await verifyBytes(key.publicKey, signature, encodeUtf8('hellO'))).toBe(false);
  });

  it('has the same id after a round trip through both PEM forms', async () => {
    const key = await generateKey();
    for (const form of ['traditional', 'pkcs8'] as const) {
      const again = await parsePrivateKeyPem(formatPrivateKeyPem(key, form));
      expect(again?.publicKey.keyId).toBe(key.publicKey.keyId);
      expect(again?.pkcs8).toEqual(key.pkcs8);
    }
    expect(formatPrivateKeyPem(key)).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect((await parsePublicKeysPem(formatPublicKeyPem(key.publicKey)))[0]?.keyId).toBe(key.publicKey.keyId);
  });

  it('has the SHA-256 of its public DER as its id', async () => {
    const { publicKey } = await generateKey();
    expect(publicKey.keyId).toBe(nodeKeyId(formatPublicKeyPem(publicKey)));
  });
});

describe('an EC private key', () => {
  it('is rejected if its secret does not belong to its point', async () => {
    const [first, second] = [await generateKey(), await generateKey()];
    const point = second.publicKey.spki.slice(-64);
    const mixed = first.pkcs8.slice();
    mixed.set(point, mixed.length - 64);
    expect(await importPrivateKey(mixed)).toBeUndefined();
    expect(await importPrivateKey(first.pkcs8)).toBeDefined();
  });
});

describe('private keys made by OpenSSL', () => {
  const cases = [
    ['RSA in PKCS#1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }), rsa.publicKey, 'RS256'],
    ['RSA in PKCS#8', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }), rsa.publicKey, 'RS256'],
    ['P-384 in SEC1', p384.privateKey.export({ type: 'sec1', format: 'pem' }), p384.publicKey, 'ES384'],
    ['P-521 in PKCS#8', p521.privateKey.export({ type: 'pkcs8', format: 'pem' }), p521.publicKey, 'ES512'],
  ] as const;
  for (const [name, pem, publicKey, algorithm] of cases) {
    it(`are read: ${name}`, async () => {
      const key = await parsePrivateKeyPem(String(pem));
      expect(key?.algorithm).toBe(algorithm);
      expect(key?.publicKey.keyId).toBe(nodeKeyId(String(publicKey.export({ type: 'spki', format: 'pem' }))));
      const again = await parsePrivateKeyPem(formatPrivateKeyPem(key!));
      expect(again?.publicKey.keyId).toBe(key?.publicKey.keyId);
      const signature = await signBytes(key!, encodeUtf8('x'));
      expect(await verifyBytes(key!.publicKey, signature, encodeUtf8('x'))).toBe(true);
    });
  }

  it('are found after EC PARAMETERS and other text', async () => {
    const sec1 = String(p384.privateKey.export({ type: 'sec1', format: 'pem' }));
    const text = `a key\n${formatPem('EC PARAMETERS', Uint8Array.of(6, 1, 42))}\n${sec1.replaceAll('\n', '\r\n')}`;
    expect((await parsePrivateKeyPem(text))?.algorithm).toBe('ES384');
  });

  it('are not found in public keys, encrypted keys, other curves and garbage', async () => {
    const encrypted = rsa.privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' });
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    for (const pem of [
      rsa.publicKey.export({ type: 'spki', format: 'pem' }),
      encrypted,
      other.export({ type: 'sec1', format: 'pem' }),
      other.export({ type: 'pkcs8', format: 'pem' }),
      ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      '',
      '-----BEGIN PRIVATE KEY-----\n',
    ])
      expect(await parsePrivateKeyPem(String(pem))).toBeUndefined();
  });
});

describe('a file of verification keys', () => {
  it('may contain several public or private keys, and keeps their order', async () => {
    const text = [
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }),
      p384.publicKey.export({ type: 'spki', format: 'pem' }),
      ed25519.publicKey.export({ type: 'spki', format: 'pem' }),
      p521.privateKey.export({ type: 'sec1', format: 'pem' }),
    ].join('');
    const keys = await parsePublicKeysPem(text);
    expect(keys.map((key) => key.algorithm)).toEqual(['RS256', 'ES384', 'ES512']);
  });

  it('yields an empty list without a key', async () => {
    expect(await parsePublicKeysPem('no key here')).toEqual([]);
    expect(await parsePublicKeysPem(formatPem('CERTIFICATE', Uint8Array.of(0x30, 0)))).toEqual([]);
  });
});

describe('malformed input', () => {
  it('is rejected without an exception, for every changed byte', async () => {
    const { pkcs8, publicKey } = await generateKey();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        for (const der of [pkcs8, publicKey.spki]) {
          const bytes = Uint8Array.from(der);
          const index = at % bytes.length;
          bytes[index] = (bytes[index] as number) ^ change;
          // A changed bit may still give a valid key, but never one with the same id and other bytes.
          const key = der === pkcs8 ? (await importPrivateKey(bytes))?.publicKey : await importPublicKey(bytes);
          if (key?.keyId === publicKey.keyId) expect(key.spki).toEqual(publicKey.spki);
        }
      }),
      { numRuns: 200, seed: 4 },
    );
  });

  it('in PEM is ignored in linear time', () => {
    const long = '-----BEGIN A-----\n'.repeat(20_000);
    expect(parsePem(long)).toEqual([]);
    expect(parsePem('-----BEGIN A-----\nAQ==\n-----END B-----\n')).toEqual([]);
    expect(parsePem('-----BEGIN A-----\nAQ=\n-----END A-----\n')).toEqual([]);
    expect(parsePem('-----BEGIN A-----\nAQ==\n-----END A-----')).toEqual([{ type: 'A', bytes: Uint8Array.of(1) }]);
  });

  it('in base64url yields undefined, and valid input round-trips', () => {
    for (const text of ['a', 'ab==', 'a+b/', 'ab cd', 'ab\n']) expect(decodeBase64Url(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});
