import { expect, test } from 'vitest';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { settle } from '../../base/virtual-clock.ts';
import { generateKey } from '../../pki/keys.ts';
import { LEGACY_ISSUER, legacyClaims } from '../../pki/service-account-claims.ts';
import { createTokenSigner } from '../../pki/service-account-tokens.ts';
import { ISSUER, startTestKube } from '../kube-server.fixtures.ts';

test('the use of a legacy token is recorded on its Secret', async () => {
  const key = await generateKey();
  const kube = await startTestKube({
    serviceAccounts: {
      issuers: [ISSUER],
      signingKey: key,
      verifyKeys: [key.publicKey],
      maxExpirationSeconds: 0,
      extendExpiration: true,
      lookup: true,
      jwksUri: '',
    },
  });
  const base = '/api/v1/namespaces/default';
  const account = await kube.request('POST', `${base}/serviceaccounts`, { metadata: { name: 'old' } });
  const reference = { namespace: 'default', name: 'old', uid: textAt(account.body, 'metadata', 'uid') };
  const signer = createTokenSigner({ issuer: LEGACY_ISSUER, key });
  const token = await signer.sign(legacyClaims(reference, 'kept'));
  await kube.request('POST', `${base}/secrets`, {
    metadata: { name: 'kept', annotations: { 'kubernetes.io/service-account.name': 'old' } },
    type: 'kubernetes.io/service-account-token',
    stringData: { token },
  });
  const result = await kube.server.serviceAccountTokens(token, []);
  expect(result).toMatchObject({
    outcome: 'ok',
    user: { name: 'system:serviceaccount:default:old' },
    annotations: { 'authentication.k8s.io/legacy-token-manual-secret': 'kept' },
  });
  await settle();
  expect((await kube.request('GET', `${base}/secrets/kept`)).body).toMatchObject({
    metadata: { labels: { 'kubernetes.io/legacy-token-last-used': '2030-01-01' } },
  });
  await kube.stop();
});
