/** CertificateSigningRequests by the algorithm of their signature. */
import { encodeBase64 } from '../../../src/base/base64.ts';
import { encodeUtf8 } from '../../../src/base/bytes.ts';
import {
  type KeyType,
  name,
  type SignatureOptions,
  testKey,
  writeRequest,
} from '../../../src/pki/certificate-writer.fixtures.ts';
import { formatPem } from '../../../src/pki/pem.ts';
import { post, type Step, type Topic, topic } from '../request.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

function request(label: string, type: KeyType, signature: SignatureOptions): Step {
  const pem = formatPem('CERTIFICATE REQUEST', writeRequest(name('jane', ['devs']), testKey(type, 0), signature));
  return post(REQUESTS, {
    metadata: { name: `{{ns}}-${label}` },
    spec: { request: encodeBase64(encodeUtf8(pem)), signerName: 'example.com/signer', usages: ['client auth'] },
  });
}

export const certificateRequests: Topic = topic('certificate requests', {
  'that Go accepts': [
    request('rsa-sha1', 'RSA-2048', { hash: 'sha1' }),
    request('rsa-sha384', 'RSA-1024', { hash: 'sha384' }),
    request('pss-sha256', 'RSA-2048', { isPss: true }),
    request('pss-sha512', 'RSA-2048', { isPss: true, hash: 'sha512' }),
    request('ecdsa-sha1', 'P-256', { hash: 'sha1' }),
    request('ecdsa-sha384', 'P-521', { hash: 'sha384' }),
    request('ed25519', 'Ed25519', {}),
  ],
  'that Go refuses': [
    request('rsa-md5', 'RSA-2048', { hash: 'md5' }),
    request('rsa-sha224', 'RSA-2048', { hash: 'sha224' }),
    request('rsa-512', 'RSA-512', { hash: 'sha1' }),
    request('pss-sha1', 'RSA-2048', { isPss: true, hash: 'sha1' }),
    request('pss-salt', 'RSA-2048', { isPss: true, saltLength: 20 }),
    request('broken-rsa', 'RSA-2048', { isBroken: true }),
    request('broken-pss', 'RSA-2048', { isPss: true, isBroken: true }),
    request('broken-ecdsa', 'P-256', { isBroken: true }),
    request('broken-ed25519', 'Ed25519', { isBroken: true }),
  ],
});
