import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../base/bytes.ts';
import { createOpenIdDocuments, type OpenIdOptions } from './jwks.ts';
import { generateKey, type PrivateKey, parsePrivateKeyPem } from './keys.ts';
import { createTokenSigner } from './service-account-tokens.ts';

const ISSUER = 'https://issuer.example';
const key = await generateKey();
const rsaKey = (await parsePrivateKeyPem(
  String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
)) as PrivateKey;

async function documents(more: Partial<OpenIdOptions> = {}) {
  const result = await createOpenIdDocuments({
    issuer: ISSUER,
    externalAddress: '10.0.0.1:6443',
    keys: [rsaKey.publicKey, key.publicKey],
    ...more,
  });
  return result.ok
    ? { configuration: decodeUtf8(result.configuration), keySet: decodeUtf8(result.keySet) }
    : { message: result.message };
}

describe('the OpenID documents', () => {
  it('are byte-equal to those of the reference', async () => {
    const { configuration, keySet } = await documents();
    expect(configuration).toBe(
      '{"issuer":"https://issuer.example","jwks_uri":"https://10.0.0.1:6443/openid/v1/jwks",' +
        '"response_types_supported":["id_token"],"subject_types_supported":["public"],' +
        '"id_token_signing_alg_values_supported":["ES256","RS256"]}',
    );
    const keys = (JSON.parse(keySet!) as { keys: Record<string, string>[] }).keys;
    expect(keys.map((one) => Object.keys(one).join())).toEqual(['use,kty,kid,alg,n,e', 'use,kty,kid,crv,alg,x,y']);
    expect(keys.map((one) => one['kid'])).toEqual([rsaKey.publicKey.keyId, key.publicKey.keyId]);
  });

  it('verify tokens in another implementation and contain no private key', async () => {
    const { keySet } = await documents();
    const keys = createLocalJWKSet(JSON.parse(keySet!) as { keys: [] });
    for (const signing of [key, rsaKey]) {
      const token = await createTokenSigner({ issuer: ISSUER, key: signing }).sign({ sub: 'x' });
      expect((await jwtVerify(token, keys, { issuer: ISSUER })).payload.sub).toBe('x');
    }
    expect(keySet).not.toMatch(/"(d|p|q|dp|dq|qi|k)":/);
  });

  it('contain the configured URI of the key set', async () => {
    const { configuration } = await documents({ jwksUri: 'https://keys.example/a&b', externalAddress: '' });
    expect(configuration).toContain('"jwks_uri":"https://keys.example/a\\u0026b"');
  });

  it('are refused for an issuer that OpenID does not allow', async () => {
    const cases: [Partial<OpenIdOptions>, string][] = [
      [{ issuer: '' }, 'empty issuer URL'],
      [{ issuer: 'http://x' }, 'issuer URL must use https scheme, got: http://x'],
      [{ issuer: 'kubernetes' }, 'issuer URL must use https scheme, got: kubernetes'],
      [{ issuer: 'https://x?a' }, 'issuer URL may not include a query, got: https://x?a'],
      [{ issuer: 'https://x#a?b' }, 'issuer URL may not include a fragment, got: https://x#a?b'],
      [{ jwksUri: 'http://x' }, 'jwksURI requires https scheme, parsed as: http://x'],
      [{ externalAddress: '' }, 'either the JWKS URI or the default external address, or both, must be set'],
      [{ keys: [] }, 'no keys provided for validating keyset'],
      [{ issuer: 'https://x\n' }, 'parse "https://x\\n": net/url: invalid control character in URL'],
    ];
    for (const [options, message] of cases) expect(await documents(options)).toEqual({ message });
  });
});
