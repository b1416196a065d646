import { beforeAll, describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../../base/bytes.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createCa, type KeyedCertificate } from '../../../pki/certificates.ts';
import { formatPrivateKeyPem, generateKey } from '../../../pki/keys.ts';
import { keyPairProblem } from './key-pair.ts';

describe('a certificate and a key', () => {
  let pair: KeyedCertificate;
  const problem = (keyPem: string) => keyPairProblem(encodeUtf8(pair.certificatePem), encodeUtf8(keyPem));
  beforeAll(async () => {
    pair = await createCa({ commonName: 'test', clock: new VirtualClock() });
  });

  test('match in either form of the key', () => {
    expect(problem(formatPrivateKeyPem(pair.key))).toBeUndefined();
    expect(problem(formatPrivateKeyPem(pair.key, 'pkcs8'))).toBeUndefined();
  });

  test('of different pairs do not match', async () => {
    expect(problem(formatPrivateKeyPem(await generateKey()))).toBe('tls: private key does not match public key');
  });

  test('have a message if they are switched', () => {
    expect(problem(pair.certificatePem)).toBe(
      'tls: found a certificate rather than a key in the PEM for the private key',
    );
  });
});
