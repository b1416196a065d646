/** The state of a CertificateSigningRequest, read from its conditions. */
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Stored } from '../../client/object-types.ts';
import type { CertificateSigningRequest } from '../../kinds/api/certificates/v1.ts';
import { parseCertificateRequestPem } from '../../pki/certificate-request.ts';

export function hasCondition({ status }: Stored<CertificateSigningRequest>, wanted: string): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
}

/** The PKCS #10 request. The server has validated it, so a problem cannot be mended by a retry. */
export function parseRequest({
  spec,
}: Stored<CertificateSigningRequest>): ReturnType<typeof parseCertificateRequestPem> {
  return parseCertificateRequestPem(decodeUtf8(decodeBase64(spec.request) ?? new Uint8Array()));
}
