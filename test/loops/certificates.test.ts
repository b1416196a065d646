import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../src/base/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/base/bytes.ts';
import type { Stored } from '../../src/client/object-types.ts';
import { CertificateSigningRequest } from '../../src/kinds/api/certificates/v1.ts';
import { formatPem } from '../../src/pki/pem.ts';
import { CERTIFICATE_REQUESTS } from './certificate-requests.fixtures.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

const HOUR_MS = 60 * 60 * 1000;

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

interface Wanted {
  readonly request: keyof typeof CERTIFICATE_REQUESTS;
  readonly signerName: string;
  readonly usages: NonNullable<CertificateSigningRequest['spec']['usages']>;
  readonly expirationSeconds?: number;
}

const CLIENT: Wanted = {
  request: 'user',
  signerName: 'kubernetes.io/kube-apiserver-client',
  usages: ['digital signature', 'key encipherment', 'client auth'],
};

async function create(name: string, { request, ...spec }: Wanted): Promise<void> {
  const der = decodeBase64(CERTIFICATE_REQUESTS[request]) as Uint8Array;
  const pem = encodeBase64(encodeUtf8(formatPem('CERTIFICATE REQUEST', der)));
  await api().create({ metadata: { name }, spec: { ...spec, request: pem } });
}

function api() {
  return plane.client.api(CertificateSigningRequest);
}

async function approve(name: string): Promise<void> {
  const request = await api().get(name);
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'x' }];
  await api()
    .subresource(name, 'approval')
    .update({ ...request, status: { conditions } });
}

async function issued(name: string): Promise<X509Certificate> {
  let request: Stored<CertificateSigningRequest> | undefined;
  await until(`${name} is signed`, async () => {
    request = await api().get(name);
    return (request.status?.certificate ?? '') !== '';
  });
  return new X509Certificate(decodeUtf8(decodeBase64(request?.status?.certificate ?? '') as Uint8Array));
}

describe('the loops of CertificateSigningRequests', () => {
  it('sign an approved request with the CA of the server', async () => {
    plane = await startPlane();
    await create('jane', { ...CLIENT, expirationSeconds: 3600 });
    await approve('jane');
    const certificate = await issued('jane');
    expect(certificate.subject).toBe('O=dev\nCN=jane');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(Date.parse(certificate.validTo) - plane.clock.now()).toBe(HOUR_MS);
    const [, ca = ''] = /certificate-authority-data: (\S+)/.exec(plane.plane.kubeconfigText ?? '') ?? [];
    const authority = new X509Certificate(decodeUtf8(decodeBase64(ca) as Uint8Array));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(plane.problems).toEqual([]);
  });

  it('copy alternative names into serving certificates of kubelets', async () => {
    plane = await startPlane();
    await create('serving', {
      request: 'kubeletServing',
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
    });
    await approve('serving');
    const certificate = await issued('serving');
    expect(certificate.subjectAltName).toBe('DNS:one.example.com, IP Address:10.0.0.7');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('mark a request as failed that its signer does not accept', async () => {
    plane = await startPlane();
    const usages: Wanted['usages'] = ['digital signature', 'client auth'];
    await create('no-node', { request: 'user', signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages });
    await approve('no-node');
    await until('it has failed', async () => {
      const { status } = await api().get('no-node');
      const failed = status?.conditions?.find(({ type }) => type === 'Failed');
      return failed?.message === 'subject organization is not system:nodes';
    });
  });

  it('approve and sign the request of a kubelet whose requester is allowed to', async () => {
    plane = await startPlane();
    const usages: Wanted['usages'] = ['digital signature', 'client auth'];
    const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
    await create('kubelet', { request: 'kubeletClient', signerName, usages });
    expect((await issued('kubelet')).subject).toBe('O=system:nodes\nCN=system:node:one');
    const { status } = await api().get('kubelet');
    expect(status?.conditions?.[0]).toMatchObject({ type: 'Approved', reason: 'AutoApproved' });
    expect(plane.problems).toEqual([]);
  });

  it('do not approve other requests', async () => {
    plane = await startPlane();
    await create('jane', CLIENT);
    const usages: Wanted['usages'] = ['digital signature', 'client auth'];
    const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
    await create('kubelet', { request: 'kubeletClient', signerName, usages });
    await issued('kubelet');
    expect((await api().get('jane')).status?.conditions ?? []).toEqual([]);
  });

  it('delete an issued request after an hour, and keep one without an answer', async () => {
    plane = await startPlane();
    await create('issued', CLIENT);
    await create('waiting', CLIENT);
    await approve('issued');
    await issued('issued');
    await plane.clock.advance(HOUR_MS + 2000);
    await until('the first is gone', async () => (await api().find('issued')) === undefined);
    expect(await api().find('waiting')).toBeDefined();
  });
});
