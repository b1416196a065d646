import * as crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import type { KeyCrypto, SigningAlgorithm } from './key-crypto.ts';
import { nodeKeyCrypto } from './key-crypto-node.ts';
import { webKeyCrypto } from './key-crypto-web.ts';
import { keyCrypto } from './runtime-key-crypto.ts';

const node = nodeKeyCrypto(crypto);
const DATA = encodeUtf8('hello');
const CASES: readonly (readonly [SigningAlgorithm, Uint8Array])[] = [
  ['RS256', pkcs8(crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
  ['ES256', pkcs8(crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
  ['ES384', pkcs8(crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)],
  ['ES512', pkcs8(crypto.generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey)],
];

function pkcs8(key: crypto.KeyObject): Uint8Array {
  return new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
}

describe.each<[string, KeyCrypto, KeyCrypto]>([
  ['node:crypto', node, webKeyCrypto],
  ['Web Crypto', webKeyCrypto, node],
])('keys by %s', (_, ours, other) => {
  it.each(CASES)('of %s have the same encodings as the other, and its signatures verify', async (algorithm, der) => {
    const mine = await ours.readPrivate(der, algorithm);
    const theirs = await other.readPrivate(der, algorithm);
    if (mine === undefined || theirs === undefined) throw new Error('a key cannot be read');
    expect(mine.pkcs8).toEqual(theirs.pkcs8);
    expect(mine.publicKey.spki).toEqual(theirs.publicKey.spki);
    const fields = ({ kty, crv, x, y, n, e }: Awaited<ReturnType<KeyCrypto['jwk']>>) => ({ kty, crv, x, y, n, e });
    expect(fields(await ours.jwk(mine.publicKey.handle))).toEqual(fields(await other.jwk(theirs.publicKey.handle)));
    const signature = await other.sign(theirs.handle, algorithm, DATA);
    const read = await ours.readPublic(theirs.publicKey.spki, algorithm);
    if (read === undefined) throw new Error('a public key cannot be read');
    expect(await ours.verify(read.handle, algorithm, signature, DATA)).toBe(true);
    expect(await ours.verify(read.handle, algorithm, signature, encodeUtf8('hellO'))).toBe(false);
  });

  it('are generated for P-256', async () => {
    const made = await ours.generate();
    const read = await other.readPrivate(made.pkcs8, 'ES256');
    expect(read?.publicKey.spki).toEqual(made.publicKey.spki);
  });

  it('are undefined if they are malformed, or if a secret does not belong to its point', async () => {
    const [first, second] = [await ours.generate(), await ours.generate()];
    const mixed = first.pkcs8.slice();
    mixed.set(second.publicKey.spki.slice(-64), mixed.length - 64);
    expect(await ours.readPrivate(mixed, 'ES256')).toBeUndefined();
    expect(await ours.readPrivate(first.pkcs8.slice(0, -1), 'ES256')).toBeUndefined();
    const offCurve = first.publicKey.spki.slice();
    offCurve[offCurve.length - 1]! ^= 1;
    expect(await ours.readPublic(offCurve, 'ES256')).toBeUndefined();
  });

  it('have ids by SHA-256', async () => {
    expect(await ours.sha256(DATA)).toEqual(new Uint8Array(crypto.createHash('sha256').update(DATA).digest()));
  });
});

it('uses node:crypto if the runtime has getBuiltinModule', async () => {
  const hasModule = 'getBuiltinModule' in process;
  expect((await keyCrypto.generate()).handle instanceof crypto.KeyObject).toBe(hasModule);
});
