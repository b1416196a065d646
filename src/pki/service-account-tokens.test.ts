import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { exportSPKI, importSPKI, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { splitServiceAccountUsername } from '../apimachinery/meta/service-account-user.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import type { BoundObject, BoundObjectLookup, BoundSecret, BoundServiceAccount, Lookup } from './bound-objects.ts';
import { signJws } from './jws.ts';
import { formatPrivateKeyPem, formatPublicKeyPem, generateKey, type PrivateKey, parsePrivateKeyPem } from './keys.ts';
import { type BoundClaimsOptions, boundClaims, LEGACY_ISSUER, legacyClaims } from './service-account-claims.ts';
import {
  createTokenSigner,
  createTokenVerifier,
  type TokenAnswer,
  type TokenVerifierOptions,
} from './service-account-tokens.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const AUDIENCE = 'https://kubernetes.default.svc.cluster.local';
const key = await generateKey();
const otherKey = await generateKey();
const rsaKey = (await parsePrivateKeyPem(
  String(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' })),
)) as PrivateKey;
const account = { namespace: 'default', name: 'robot', uid: 'sa-uid' };

/**
 * Objects in memory behind the lookup interface; a test may change them.
 */
class MemoryLookup implements BoundObjectLookup {
  readonly accounts = new Map<string, BoundServiceAccount>([['default/robot', { uid: 'sa-uid' }]]);
  readonly secrets = new Map<string, BoundSecret>();
  readonly pods = new Map<string, BoundObject>();
  readonly nodes = new Map<string, BoundObject>();

  serviceAccount(namespace: string, name: string): Lookup<BoundServiceAccount> {
    return find(this.accounts, `${namespace}/${name}`, `serviceaccounts "${name}" not found`);
  }
  async secret(namespace: string, name: string): Promise<Lookup<BoundSecret>> {
    return find(this.secrets, `${namespace}/${name}`, `secrets "${name}" not found`);
  }
  pod(namespace: string, name: string): Lookup<BoundObject> {
    return find(this.pods, `${namespace}/${name}`, `pods "${name}" not found`);
  }
  node(name: string): Lookup<BoundObject> {
    return find(this.nodes, name, `nodes "${name}" not found`);
  }
}

function find<T>(objects: Map<string, T>, at: string, error: string): Lookup<T> {
  const found = objects.get(at);
  return found === undefined ? { error } : { found };
}

function setup(more: Partial<TokenVerifierOptions> = {}) {
  const clock = new VirtualClock();
  const objects = new MemoryLookup();
  const verifier = createTokenVerifier({
    issuers: [ISSUER],
    keys: [key.publicKey],
    apiAudiences: [AUDIENCE],
    lookup: objects,
    clock,
    ...more,
  });
  const signer = createTokenSigner({ issuer: ISSUER, key });
  const claims = (extra: Partial<BoundClaimsOptions> = {}) =>
    boundClaims({
      serviceAccount: account,
      audiences: [AUDIENCE],
      expirationSeconds: 3600,
      now: clock.now(),
      ...extra,
    });
  const token = (extra: Partial<BoundClaimsOptions> = {}) => signer.sign(claims(extra).claims);
  return { clock, objects, verifier, signer, claims, token };
}

function payloadOf(token: string): string {
  return new TextDecoder().decode(decodeBase64Url(token.split('.')[1] as string));
}

function messageOf(answer: TokenAnswer): string {
  return answer.kind === 'rejected' ? answer.message : `(${answer.kind})`;
}

describe('a bound token', () => {
  it('has the form of the reference: alg and kid, claims sorted', async () => {
    const { signer, claims } = setup();
    const made = claims({ pod: { name: 'p', uid: 'pu' }, node: { name: 'n', uid: 'nu' }, warnAfterSeconds: 3607 });
    const token = await signer.sign(made.claims);
    const header = new TextDecoder().decode(decodeBase64Url(token.split('.')[0] as string));
    expect(header).toBe(`{"alg":"ES256","kid":"${key.publicKey.keyId}"}`);
    expect(payloadOf(token)).toBe(
      `{"aud":["${AUDIENCE}"],"exp":1893459600,"iat":1893456000,"iss":"${ISSUER}","jti":"${made.tokenId}",` +
        '"kubernetes.io":{"namespace":"default","node":{"name":"n","uid":"nu"},"pod":{"name":"p","uid":"pu"},' +
        '"serviceaccount":{"name":"robot","uid":"sa-uid"},"warnafter":1893459607},"nbf":1893456000,' +
        '"sub":"system:serviceaccount:default:robot"}',
    );
    expect(made.expiresAt).toBe(1893459600);
  });

  it('is verified by another implementation, with P-256 and with RSA', async () => {
    const { claims, clock } = setup();
    for (const signing of [key, rsaKey]) {
      const token = await createTokenSigner({ issuer: ISSUER, key: signing }).sign(claims().claims);
      const imported = await importSPKI(formatPublicKeyPem(signing.publicKey), signing.algorithm);
      const { payload } = await jwtVerify(token, imported, {
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: new Date(clock.now()),
      });
      expect(payload.sub).toBe('system:serviceaccount:default:robot');
      expect(await exportSPKI(imported)).toContain('PUBLIC KEY');
    }
  });

  it('yields user name, groups and extra', async () => {
    const { verifier, objects, claims, signer } = setup();
    objects.pods.set('default/p', { uid: 'pu' });
    const made = claims({ pod: { name: 'p', uid: 'pu' }, node: { name: 'n', uid: 'nu' } });
    expect(await verifier.authenticate(await signer.sign(made.claims))).toEqual({
      kind: 'authenticated',
      user: {
        name: 'system:serviceaccount:default:robot',
        uid: 'sa-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
        extra: {
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['pu'],
          'authentication.kubernetes.io/credential-id': [`JTI=${made.tokenId}`],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['nu'],
        },
      },
      audiences: [AUDIENCE],
      notes: { annotations: {}, warnings: [] },
    });
  });

  it('expires a minute after its expiry, and is rejected again on the second use', async () => {
    const { verifier, token, clock } = setup();
    const text = await token();
    await clock.advance(3_660_000);
    expect((await verifier.authenticate(text)).kind).toBe('authenticated');
    await clock.advance(1);
    expect(messageOf(await verifier.authenticate(text))).toBe('service account token has expired');
  });

  it('is rejected before its nbf time', async () => {
    const { verifier, signer, claims, clock } = setup();
    const { nbf, ...rest } = claims({ now: clock.now() + 61_000 }).claims;
    expect(messageOf(await verifier.authenticate(await signer.sign({ ...rest, nbf: nbf! })))).toBe(
      'service account token is not valid yet',
    );
    expect(messageOf(await verifier.authenticate(await signer.sign(rest)))).toBe(
      'service account token is issued in the future',
    );
  });

  it('is revoked with its ServiceAccount, also if it was created again', async () => {
    const { verifier, token, objects, clock } = setup();
    const text = await token();
    expect((await verifier.authenticate(text)).kind).toBe('authenticated');
    objects.accounts.set('default/robot', { uid: 'sa-uid', deletionTimestamp: clock.now() - 60_000 });
    expect((await verifier.authenticate(text)).kind).toBe('authenticated');
    objects.accounts.set('default/robot', { uid: 'sa-uid', deletionTimestamp: clock.now() - 60_001 });
    expect(messageOf(await verifier.authenticate(text))).toBe('service account default/robot has been deleted');
    objects.accounts.set('default/robot', { uid: 'new' });
    expect(messageOf(await verifier.authenticate(text))).toBe(
      'service account UID (new) does not match claim (sa-uid)',
    );
    objects.accounts.clear();
    expect(messageOf(await verifier.authenticate(text))).toBe('serviceaccounts "robot" not found');
  });

  for (const kind of ['pod', 'secret', 'node'] as const) {
    it(`is revoked with the ${kind} it is bound to`, async () => {
      const { verifier, token, objects, clock } = setup();
      const text = await token({ [kind]: { name: 'x', uid: 'x-uid' } });
      const ofKind: Map<string, BoundObject> = objects[`${kind}s`];
      const at = kind === 'node' ? 'x' : 'default/x';
      const gone = 'service account token has been invalidated';
      expect(messageOf(await verifier.authenticate(text))).toBe(gone);
      ofKind.set(at, { uid: 'x-uid' });
      expect((await verifier.authenticate(text)).kind).toBe('authenticated');
      ofKind.set(at, { uid: 'x-uid', deletionTimestamp: clock.now() - 60_001 });
      expect(messageOf(await verifier.authenticate(text))).toBe(gone);
      ofKind.set(at, { uid: 'y-uid' });
      expect(messageOf(await verifier.authenticate(text))).toBe(
        `${kind} UID (y-uid) does not match service account ${kind} ref claim (x-uid)`,
      );
    });
  }

  it('is reported in the audit event when used after its warning time', async () => {
    const { verifier, token, clock } = setup();
    const text = await token({ warnAfterSeconds: 600 });
    await clock.advance(610_000);
    expect(await verifier.authenticate(text)).toMatchObject({
      kind: 'authenticated',
      notes: {
        annotations: {
          'authentication.k8s.io/stale-token':
            'subject: system:serviceaccount:default:robot, seconds after warning threshold: 10',
        },
      },
    });
  });
});

describe('audiences', () => {
  it('of token and request must intersect', async () => {
    const { verifier, token } = setup();
    const text = await token({ audiences: ['a', 'b'] });
    expect(messageOf(await verifier.authenticate(text))).toBe(
      `token audiences ["a" "b"] is invalid for the target audiences ["${AUDIENCE}"]`,
    );
    expect(await verifier.authenticate(text, { audiences: ['c', 'b'] })).toMatchObject({ audiences: ['b'] });
  });

  it('are not checked if the server has none', async () => {
    const { verifier, token } = setup({ apiAudiences: [] });
    expect(await verifier.authenticate(await token({ audiences: ['a'] }))).toMatchObject({
      kind: 'authenticated',
      audiences: [],
    });
  });
});

describe('keys', () => {
  it('are selected by their id', async () => {
    const { verifier, claims } = setup({ keys: [otherKey.publicKey, rsaKey.publicKey] });
    for (const signing of [otherKey, rsaKey]) {
      const token = await createTokenSigner({ issuer: ISSUER, key: signing }).sign(claims().claims);
      expect((await verifier.authenticate(token)).kind).toBe('authenticated');
    }
    const foreign = await createTokenSigner({ issuer: ISSUER, key }).sign(claims().claims);
    expect(messageOf(await verifier.authenticate(foreign))).toBe('invalid signature, no keys found');
  });

  it('are all tried for a token without a key id', async () => {
    const { verifier, claims } = setup({ keys: [otherKey.publicKey, key.publicKey] });
    const make = (signing: PrivateKey) =>
      new SignJWT({ ...claims().claims, iss: ISSUER })
        .setProtectedHeader({ alg: signing.algorithm })
        .sign(createPrivateKey(formatPrivateKeyPem(signing)));
    expect((await verifier.authenticate(await make(key))).kind).toBe('authenticated');
    expect(messageOf(await verifier.authenticate(await make(rsaKey)))).toBe(
      'go-jose/go-jose: error in cryptographic primitive',
    );
  });

  it('verify only their own algorithm, and an unsigned token is rejected', async () => {
    const { verifier, claims } = setup({ keys: [rsaKey.publicKey] });
    const payload = encodeBase64Url(encodeUtf8(JSON.stringify({ ...claims().claims, iss: ISSUER })));
    for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { alg: 'PS256' }, {}, { alg: 'RS256', crit: ['x'] }]) {
      const token = `${encodeBase64Url(encodeUtf8(JSON.stringify(header)))}.${payload}.`;
      expect(messageOf(await verifier.authenticate(token))).toBe('go-jose/go-jose: error in cryptographic primitive');
    }
  });
});

describe('tokens of other issuers', () => {
  it('are left to other authenticators', async () => {
    const { verifier, claims } = setup();
    const foreign = await createTokenSigner({ issuer: 'https://elsewhere', key }).sign(claims().claims);
    for (const token of ['', 'abc', 'a.b.c', '{"payload":""}', `${foreign}.x`, foreign])
      expect(await verifier.authenticate(token)).toEqual({ kind: 'unknown' });
  });

  it('are rejected when a claim has the wrong type', async () => {
    const { verifier } = setup();
    const cases: [JsonObject, string][] = [
      [{ sub: 1 }, 'json: cannot unmarshal number into Go value of type string'],
      [{ exp: 'soon' }, 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate'],
      [{ aud: 1 }, 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience'],
      [{ 'kubernetes.io': 'x' }, 'json: cannot unmarshal string into Go value of type serviceaccount.kubernetes'],
      [{ 'kubernetes.io': { pod: [] } }, 'json: cannot unmarshal array into Go value of type serviceaccount.ref'],
      [{}, 'serviceaccounts "" not found'],
    ];
    for (const [claims, message] of cases)
      expect(messageOf(await verifier.authenticate(await signJws(key, { ...claims, iss: ISSUER })))).toBe(message);
  });

  it('never cause an exception, and no modified token is accepted', async () => {
    const { verifier, token } = setup();
    const text = await token();
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.string({ maxLength: 3, unit: 'binary' }), async (at, insert) => {
        const changed = text.slice(0, at) + insert + text.slice(at + 1);
        const answer = await verifier.authenticate(changed);
        // The last character of a part has unused bits, which Go's decoder ignores too.
        const same = changed.split('.').map(decodeBase64Url);
        if (
          text.split('.').every((part, i) => Buffer.compare(decodeBase64Url(part)!, same[i] ?? new Uint8Array()) === 0)
        )
          return;
        expect(answer.kind).not.toBe('authenticated');
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});

describe('a token in a Secret', () => {
  async function legacy(more: Partial<TokenVerifierOptions> = {}, changes: JsonObject = {}) {
    const made = setup(more);
    const claims = { ...legacyClaims(account, 'robot-token'), ...changes };
    const text = await createTokenSigner({ issuer: LEGACY_ISSUER, key }).sign(claims);
    made.objects.secrets.set('default/robot-token', { uid: 'se-uid', token: encodeUtf8(text) });
    return { ...made, text };
  }

  it('is accepted without audience and expiry, and its use is recorded', async () => {
    const { verifier, text, clock } = await legacy();
    await clock.advance(86_400_000 * 3000);
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    expect(await verifier.authenticate(text)).toEqual({
      kind: 'authenticated',
      user: {
        name: 'system:serviceaccount:default:robot',
        uid: 'sa-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
        extra: {},
      },
      audiences: [AUDIENCE],
      notes: {
        annotations: {
          'authentication.k8s.io/legacy-token': 'system:serviceaccount:default:robot',
          'authentication.k8s.io/legacy-token-manual-secret': 'robot-token',
        },
        warnings: [],
        legacySecretUse: { namespace: 'default', name: 'robot-token', uid: 'se-uid', date: today },
      },
    });
    expect(messageOf(await verifier.authenticate(text, { audiences: ['x'] }))).toBe(
      `token audiences ["${AUDIENCE}"] is invalid for the target audiences ["x"]`,
    );
  });

  it('causes a warning if it was generated automatically', async () => {
    const { verifier, text, objects } = await legacy();
    objects.accounts.set('default/robot', { uid: 'sa-uid', secretNames: ['robot-token'] });
    expect(await verifier.authenticate(text)).toMatchObject({
      notes: { warnings: [expect.stringContaining('TokenRequest API')] },
    });
  });

  it('must equal the content of the Secret, and the ServiceAccount must exist', async () => {
    const { verifier, text, objects } = await legacy();
    const secret = objects.secrets.get('default/robot-token')!;
    objects.secrets.set('default/robot-token', {
      ...secret,
      labels: { 'kubernetes.io/legacy-token-invalid-since': 'x' },
    });
    expect(messageOf(await verifier.authenticate(text))).toMatch(
      /^the token in secret default\/robot-token .* has been marked invalid\./,
    );
    objects.secrets.set('default/robot-token', { ...secret, token: encodeUtf8('other') });
    expect(messageOf(await verifier.authenticate(text))).toBe("Token does not match server's copy");
    objects.secrets.set('default/robot-token', { ...secret, deletionTimestamp: 1 });
    expect(messageOf(await verifier.authenticate(text))).toBe('Token has been invalidated');
    objects.secrets.set('default/robot-token', secret);
    objects.accounts.set('default/robot', { uid: 'new' });
    expect(messageOf(await verifier.authenticate(text))).toBe('ServiceAccount UID (new) does not match claim (sa-uid)');
    objects.accounts.set('default/robot', { uid: 'sa-uid', deletionTimestamp: 1 });
    expect(messageOf(await verifier.authenticate(text))).toBe('ServiceAccount default/robot has been deleted');
  });

  it('is accepted without lookup if the operator disables it', async () => {
    const { verifier, text, objects } = await legacy({ legacyLookup: false });
    objects.secrets.clear();
    expect((await verifier.authenticate(text)).kind).toBe('authenticated');
  });

  it('requires all of its claims', async () => {
    const prefix = 'kubernetes.io/serviceaccount/';
    const cases: [JsonObject, string][] = [
      [{ sub: '' }, 'sub claim is missing'],
      [{ [`${prefix}namespace`]: '' }, 'namespace claim is missing'],
      [{ [`${prefix}secret.name`]: '' }, 'secretName claim is missing'],
      [{ [`${prefix}service-account.name`]: '' }, 'serviceAccountName claim is missing'],
      [{ [`${prefix}service-account.uid`]: '' }, 'serviceAccountUID claim is missing'],
      [{ sub: 'system:serviceaccount:default:other' }, 'sub claim is invalid'],
    ];
    for (const [changes, message] of cases) {
      const { verifier, text } = await legacy({}, changes);
      expect(messageOf(await verifier.authenticate(text))).toBe(message);
    }
  });

  it('may share its issuer with bound tokens', async () => {
    const { verifier, text, claims } = await legacy({ issuers: [LEGACY_ISSUER] });
    expect((await verifier.authenticate(text)).kind).toBe('authenticated');
    const bound = await createTokenSigner({ issuer: LEGACY_ISSUER, key }).sign(claims().claims);
    expect((await verifier.authenticate(bound)).kind).toBe('authenticated');
    const neither = await createTokenSigner({ issuer: LEGACY_ISSUER, key }).sign({ sub: 'x' });
    expect(messageOf(await verifier.authenticate(neither))).toBe(
      '[namespace claim is missing, serviceaccounts "" not found]',
    );
  });
});

describe('helpers', () => {
  it('split the user names of ServiceAccounts only if they are well formed', () => {
    expect(splitServiceAccountUsername('system:serviceaccount:ns:a.b')).toEqual({ namespace: 'ns', name: 'a.b' });
    for (const name of [
      'jane',
      'system:serviceaccount:ns',
      'system:serviceaccount:ns:a:b',
      'system:serviceaccount:N:a',
    ])
      expect(splitServiceAccountUsername(name)).toBeUndefined();
  });
});
