/** Functions that read a CertificateSigningRequest. */
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Stored } from '../../client/object-types.ts';
import type { CertificateSigningRequest } from '../../kinds/api/certificates/v1.ts';
import { parseCertificateRequestPem } from '../../pki/certificate-request.ts';

export function hasCondition({ status }: Stored<CertificateSigningRequest>, wanted: string): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
}

/** Parses the PKCS #10 request of the spec. The server has validated it, so a retry does not mend a problem. */
export function parseRequest({
  spec,
}: Stored<CertificateSigningRequest>): ReturnType<typeof parseCertificateRequestPem> {
  return parseCertificateRequestPem(decodeUtf8(decodeBase64(spec.request) ?? new Uint8Array()));
}
