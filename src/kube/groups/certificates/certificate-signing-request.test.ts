import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { decodeBase64, encodeBase64 } from '../../../base/base64.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { REQUESTS } from '../../../pki/certificate-request.fixtures.ts';
import { formatPem } from '../../../pki/pem.ts';
import { causesOf, startTestKube, type TestAnswer, type TestKube, user } from '../../kube-server.fixtures.ts';
import { certificateSigningRequestTable } from './certificate-signing-request.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

function pem(base64: string, change?: (der: Uint8Array) => void): string {
  const der = decodeBase64(base64) as Uint8Array;
  change?.(der);
  return encodeBase64(encodeUtf8(formatPem('CERTIFICATE REQUEST', der)));
}

const SPEC = { request: pem(REQUESTS.ec), signerName: 'example.com/signer', usages: ['client auth'] };

describe('CertificateSigningRequest', () => {
  let kube: TestKube;

  beforeAll(async () => {
    kube = await startTestKube();
  });
  afterAll(() => kube.stop());

  const create = (name: string, change: JsonObject): Promise<TestAnswer> =>
    kube.request('POST', PATH, { metadata: { name }, spec: { ...SPEC, ...change } });

  it('has the requesting user in its spec, whatever the client sent', async () => {
    const admin = { ...user('joe', ['system:masters']), uid: '7', extra: { 'x.io/b': ['2'], 'x.io/a': ['1'] } };
    const spec = { ...SPEC, username: 'root', uid: '0', groups: ['g'], extra: { e: ['1'] } };
    const { body } = await kube.request('POST', PATH, { metadata: { name: 'who' }, spec }, { as: admin });
    expect(objectAt(body, 'spec')).toEqual({
      ...SPEC,
      username: 'joe',
      uid: '7',
      groups: ['system:masters'],
      extra: { 'x.io/a': ['1'], 'x.io/b': ['2'] },
    });
    expect(body['status']).toEqual({});
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'an empty request',
      { request: '' },
      ['spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    ],
    ['no usages', { usages: [] }, ['spec.usages: Required value']],
    ['a repeated usage', { usages: ['any', 'any'] }, ['spec.usages[1]: Duplicate value: "any"']],
    [
      'a short expirationSeconds',
      { expirationSeconds: 599 },
      ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
    [
      'the legacy signer',
      { signerName: 'kubernetes.io/legacy-unknown' },
      [
        'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ],
    [
      'a signer without a domain',
      { signerName: 'a' },
      [
        'spec.signerName: Invalid value: "a": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      ],
    ],
  ])('is invalid with %s', async (_name, change, expected) => {
    const answer = await create('bad', change);
    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toEqual(expected);
  });

  it('is invalid if another key signed it', async () => {
    const request = pem(REQUESTS.rsa, (der) => {
      der[der.length - 1] = (der[der.length - 1] as number) ^ 1;
    });
    const answer = await create('forged', { request, usages: ['fly'] });
    expect(answer.status).toBe(422);
    expect(causesOf(answer)[0]).toBe(`spec.request: Invalid value: "${request}": crypto/rsa: verification error`);
    expect(causesOf(answer)[1]).toContain('spec.usages[0]: Unsupported value: "fly"');
  });

  it('is approved through /approval, gets its certificate through /status, and keeps both', async () => {
    await create('life', {});
    const put = async (path: string, change: (request: JsonObject) => JsonObject): Promise<TestAnswer> => {
      const { body } = await kube.request('GET', `${PATH}/life`);
      return kube.request('PUT', `${PATH}/life${path}`, { ...body, status: change(objectAt(body, 'status') ?? {}) });
    };
    const approved = { type: 'Approved', status: 'True', reason: 'R' };
    expect(causesOf(await put('/status', () => ({ conditions: [approved] })))).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect(objectAt((await put('', () => ({ conditions: [approved] }))).body, 'status')).toEqual({});
    const { body } = await put('/approval', () => ({ conditions: [approved], certificate: 'AAAA' }));
    expect(body['status']).toEqual({
      conditions: [
        { ...approved, lastUpdateTime: expect.any(String) as string, lastTransitionTime: expect.any(String) as string },
      ],
    });
    expect(causesOf(await put('/approval', () => ({})))).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const denied = { type: 'Denied', status: 'True' };
    expect(
      causesOf(await put('/approval', ({ conditions }) => ({ conditions: [...(conditions as JsonObject[]), denied] }))),
    ).toEqual(['status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive']);
    expect(causesOf(await put('/status', (status) => ({ ...status, certificate: 'AAAA' })))).toEqual([
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ]);
  });

  it('shows its conditions in the table', () => {
    const cells = (status: JsonObject): unknown =>
      certificateSigningRequestTable()
        .cells({ metadata: { name: 'x' }, spec: SPEC, status }, 0)
        .at(-1);
    expect(cells({})).toBe('Pending');
    expect(cells({ conditions: [{ type: 'Approved' }, { type: 'Failed' }], certificate: 'x' })).toBe(
      'Approved,Failed,Issued',
    );
    expect(cells({ conditions: [{ type: 'Approved' }, { type: 'Denied' }] })).toBe('Denied');
  });
});
