/** Fuzz targets of certificates: the parser, the verifier without its signatures, requests and bundles. */
import { decodeBase64 } from '../../src/base/base64.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { readCaBundle } from '../../src/pki/ca-bundle.ts';
import { type Certificate, readCertificate } from '../../src/pki/certificate.ts';
import { CERTIFICATES, REQUESTS } from '../../src/pki/certificate-request.fixtures.ts';
import { parseCertificateRequest } from '../../src/pki/certificate-request.ts';
import { formatPem } from '../../src/pki/pem.ts';
import { verifyCertificate } from '../../src/pki/verify-certificate.ts';
import { CertificatePool } from '../../src/pki/x509/certificate-pool.ts';
import type { FuzzTarget } from './targets.ts';

/** A self-signed certificate with every extension that the parser reads. Its private key was not kept. */
const EVERY_EXTENSION = [
  'MIIDVjCCAvygAwIBAgICAQIwCgYIKoZIzj0EAwIwHjEKMAgGA1UEChMBbzEQMA4GA1UEAwwHWsO8cmljaDAgFw0yMDAxMDEwMDAw',
  'MDBaGA8yMDYwMDEwMTAwMDAwMFowHjEKMAgGA1UEChMBbzEQMA4GA1UEAwwHWsO8cmljaDBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABFSn8SUjWkxDSOrLlISm2NkKzEHtj+DMEsNFunft6OdHwYaELV9C4mFkKxHjEdm2f2gg5WumBKDZ419C6MAkc9mjggImMIIC',
  'IjASBgNVHRMBAf8ECDAGAQH/AgEDMA4GA1UdDwEB/wQEAwIChDAXBgNVHSUEEDAOBggrBgEFBQcDAQYCKgMwdAYDVR0RBG0wa4IN',
  'YS5leGFtcGxlLmNvbYINKi5leGFtcGxlLmNvbYERImEgYiJAZXhhbXBsZS5jb22GIGh0dHBzOi8vYS5leGFtcGxlLmNvbTo4NDQz',
  'L3g/eSN6hwQKAAABhxAAAAAAAAAAAAAAAAAAAAAAMIGVBgNVHR4BAf8EgYowgYegPDANggtleGFtcGxlLmNvbTAPgQ1hQGV4YW1w',
  'bGUuY29tMA6GDC5leGFtcGxlLmNvbTAKhwgKAAAA/wAAAKFHMBGCD3d3dy5leGFtcGxlLmNvbTAOgQwuZXhhbXBsZS5vcmcwIocg',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwFwYDVR0gBBAwDjAEBgIqAzAGBgRVHSAAMBMGA1UdIQQMMAowCAYCKgMG',
  'AioEMBIGA1UdJAEB/wQIMAaAAQKBAQEwDQYDVR02AQH/BAMCAQEwHQYDVR0OBBYEFPbMuxvnxhK1l7SjUXy0JtlWKxhqMB8GA1Ud',
  'IwQYMBaAFPbMuxvnxhK1l7SjUXy0JtlWKxhqMBsGA1UdHwQUMBIwEKAOoAyGCmh0dHA6Ly9jcmwwJwYIKwYBBQUHAQEEGzAZMBcG',
  'CCsGAQUFBzABhgtodHRwOi8vb2NzcDAKBggqhkjOPQQDAgNIADBFAiEAlYqE3fmy1CZA1LL9+xoyEMP6BaX50Ncy2fwb2oiyafUC',
  'IGb2UMaNAIXj4LVRC2YuOHeeiOW1V3EaGOCXh/gCMm2v',
].join('');

const bytesOf = (base64: string): Uint8Array => decodeBase64(base64) as Uint8Array;
const rich = readCertificate(bytesOf(EVERY_EXTENSION));
if (!rich.ok) throw new Error(rich.problem);
const authority: Certificate = rich.certificate;
const WORDS = ['example.com', '*.', '.', '@', 'https://', '\0', '\x30\x80', '\x04\x82\xff\xff', 'U\x1d'];

/** Verifies a certificate as if every signature were good, in every place of a chain. */
function verifyEverywhere(certificate: Certificate): void {
  const both = new CertificatePool([certificate, authority]);
  const none = new CertificatePool([]);
  for (const [roots, intermediates] of [
    [both, both],
    [both, none],
    [none, both],
  ] as const)
    for (const leaf of [certificate, authority])
      verifyCertificate(leaf, {
        roots,
        intermediates,
        now: Date.UTC(2027, 0),
        usage: 'server',
        host: 'a.example.com',
        verifySignature: () => true,
      });
}

export const certificateTargets: readonly FuzzTarget[] = [
  {
    name: 'certificate',
    corpus: [CERTIFICATES.authority, CERTIFICATES.leaf, EVERY_EXTENSION].map(bytesOf),
    words: WORDS,
    run: (input) => {
      const parsed = readCertificate(new Uint8Array(input));
      if (parsed.ok) verifyEverywhere(parsed.certificate);
      return parsed.ok;
    },
  },
  {
    name: 'certificate-request',
    corpus: Object.values(REQUESTS).map(bytesOf),
    words: WORDS,
    run: (input) => parseCertificateRequest(new Uint8Array(input)).ok,
  },
  {
    name: 'ca-bundle',
    corpus: [formatPem('CERTIFICATE', bytesOf(CERTIFICATES.leaf)) + formatPem('CERTIFICATE', authority.der)],
    words: ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '\n', 'Proc-Type: 4,ENCRYPTED', '='],
    run: (input) => readCaBundle(decodeUtf8(input)).ok,
  },
];
