/**
 * The beta kinds of certificates.k8s.io. Expected causes are recorded from kube-apiserver with their feature gates on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../../base/base64.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { CERTIFICATES, REQUESTS } from '../../../pki/certificate-request.fixtures.ts';
import { formatPem } from '../../../pki/pem.ts';
import { causesOf, grant, startTestKube, type TestAnswer, type TestKube, user } from '../../kube-server.fixtures.ts';

const BUNDLES = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
const POD_REQUESTS = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests';

function pem(base64: string): string {
  return formatPem('CERTIFICATE', decodeBase64(base64) as Uint8Array);
}

let kube: TestKube;

beforeAll(async () => {
  kube = await startTestKube({
    runtimeConfig: ['certificates.k8s.io/v1beta1=true', 'certificates.k8s.io/v1alpha1=true'],
  });
});
afterAll(() => kube.stop());

describe('ClusterTrustBundle', () => {
  const AUTHORITY = pem(CERTIFICATES.authority);
  const omitted = 'spec.trustBundle: Invalid value: "<value omitted>": ';

  it.each<[string, JsonObject, string[]]>([
    ['good', { trustBundle: AUTHORITY }, []],
    ['example.com:s:good', { signerName: 'example.com/s', trustBundle: AUTHORITY }, []],
    ['empty', { trustBundle: '' }, [`${omitted}at least one trust anchor must be provided`]],
    ['leaf', { trustBundle: pem(CERTIFICATES.leaf) }, [`${omitted}entry 0 does not have the CA bit set`]],
    ['twice', { trustBundle: AUTHORITY + AUTHORITY }, [`${omitted}duplicate trust anchor (indices [0 1])`]],
    [
      'with:colon',
      { trustBundle: AUTHORITY },
      [
        'metadata.name: Invalid value: "with:colon": ClusterTrustBundle without signer name must not have ":" in its name',
      ],
    ],
    [
      'unnamed',
      { signerName: 'example.com/s', trustBundle: AUTHORITY },
      [
        'metadata.name: Invalid value: "unnamed": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
      ],
    ],
  ])('%s', async (name, spec, expected) => {
    expect(causesOf(await kube.request('POST', BUNDLES, { metadata: { name }, spec }))).toEqual(expected);
  });

  it('has an immutable signerName, and v1alpha1 answers with a deprecation warning', async () => {
    const patch = { spec: { signerName: 'a.b/c' } };
    expect(causesOf(await kube.request('PATCH', `${BUNDLES}/good`, patch))).toContain(
      'spec.signerName: Invalid value: "a.b/c": field is immutable',
    );
    const alpha = await kube.request('GET', `${BUNDLES.replace('v1beta1', 'v1alpha1')}/good`);
    expect(alpha.body['apiVersion']).toBe('certificates.k8s.io/v1alpha1');
    expect(alpha.warnings[0]).toContain(
      'certificates.k8s.io/v1alpha1 ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+',
    );
  });
});

describe('PodCertificateRequest', () => {
  const SPEC = {
    signerName: 'example.com/s',
    podName: 'p',
    podUID: 'pu',
    serviceAccountName: 'sa',
    serviceAccountUID: 'su',
    nodeName: 'n',
    nodeUID: 'nu',
    stubPKCS10Request: REQUESTS.ec,
  };
  const create = (name: string, change: JsonObject = {}): Promise<TestAnswer> =>
    kube.request('POST', POD_REQUESTS, { metadata: { name }, spec: { ...SPEC, ...change } });
  const flipped = (): string => {
    const text = REQUESTS.ec;
    return `${text.slice(0, -6)}AAAA${text.slice(-2)}`;
  };

  it.each<[string, JsonObject, string[]]>([
    [
      'a time beyond that of its signer',
      { signerName: 'kubernetes.io/x', maxExpirationSeconds: 86_401 },
      ['spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]'],
    ],
    ['an empty nodeUID', { nodeUID: '' }, ['spec.nodeUID: Invalid value: "": must not be empty']],
    [
      'a small RSA key',
      { stubPKCS10Request: REQUESTS.rsa },
      ['spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096'],
    ],
    [
      'an invalid signature',
      { stubPKCS10Request: flipped() },
      ['spec.stubPKCS10Request: Invalid value: invalid signature'],
    ],
    [
      'a public key without a proof of possession',
      { stubPKCS10Request: '', pkixPublicKey: 'AAAA' },
      ['spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'],
    ],
  ])('is invalid with %s', async (_name, change, expected) => {
    expect(causesOf(await create('bad', change))).toEqual(expected);
  });

  it('defaults to one day, and an update of its status needs permission to sign', async () => {
    const { body } = await create('life');
    expect(body).toMatchObject({ spec: { maxExpirationSeconds: 86_400 }, status: {} });
    const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['podcertificaterequests/status'], verbs: ['*'] }];
    await grant(kube, user('joe'), rules);
    const denied = {
      type: 'Denied',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const patch = { status: { conditions: [denied] } };
    const status = `${POD_REQUESTS}/life/status`;
    expect(causesOf(await kube.request('PATCH', status, patch, { as: user('joe') }))).toEqual([
      'spec.signerName: Forbidden: User "joe" is not permitted to "sign" for signer "example.com/s"',
    ]);
    expect((await kube.request('PATCH', status, patch)).status).toBe(200);
    expect(causesOf(await kube.request('PATCH', status, { status: { conditions: [] } }))).toEqual([
      'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
    ]);
  });
});
