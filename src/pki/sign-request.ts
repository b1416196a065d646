/**
 * The signing of certificate requests with the policy of kube-controller-manager's signer: subject and alternative
 * names are those of the request, usages those that the caller allows, nothing else of the request is copied.
 */
import { ConfigError } from '../base/errors.ts';
import { KEY_USAGE, OID } from './certificate.ts';
import { type CertificateRequest, requestedSubject } from './certificate-request.ts';
import { type Issuer, signCertificate, writeExtension, writeKeyUsage } from './certificates.ts';
import { writeOid, writeSequence } from './der.ts';

export interface SignRequestOptions {
  /** Usages of CertificateSigningRequests: `client auth`, `digital signature`, ... */
  readonly usages: readonly string[];
  readonly validityMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const BACKDATE_MS = 5 * 60_000;
/** The end of a certificate that is valid for less is not moved back by BACKDATE_MS. */
const SHORT_MS = 8 * 60 * 60_000;

const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: KEY_USAGE.digitalSignature,
  'digital signature': KEY_USAGE.digitalSignature,
  'content commitment': KEY_USAGE.contentCommitment,
  'key encipherment': KEY_USAGE.keyEncipherment,
  'key agreement': KEY_USAGE.keyAgreement,
  'data encipherment': KEY_USAGE.dataEncipherment,
  'cert sign': KEY_USAGE.keyCertSign,
  'crl sign': KEY_USAGE.crlSign,
  'encipher only': KEY_USAGE.encipherOnly,
  'decipher only': KEY_USAGE.decipherOnly,
};

const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  any: OID.anyUsage,
  'server auth': OID.serverAuth,
  'client auth': OID.clientAuth,
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/**
 * Returns the certificate in PEM. Throws CertificateFault for malformed names, and ConfigError if the authority has
 * expired or a usage is unknown.
 */
export async function signRequest(
  ca: Issuer,
  request: CertificateRequest,
  { usages, validityMs, now }: SignRequestOptions,
): Promise<string> {
  if (ca.certificate.notAfter <= now)
    throw new ConfigError(`the signer has expired: NotAfter=${new Date(ca.certificate.notAfter).toISOString()}`);
  const { subject, alternativeNames } = requestedSubject(request);
  const notAfter = now + validityMs - (validityMs < SHORT_MS ? 0 : BACKDATE_MS);
  const { keyUsage, extended } = knownUsages(usages);
  const { certificatePem } = await signCertificate({
    subject,
    spki: request.spki,
    signer: ca.key,
    issuerName: ca.certificate.subjectBytes,
    authorityKeyId: ca.certificate.extensions.subjectKeyId,
    notBefore: now - BACKDATE_MS,
    notAfter: Math.min(notAfter, ca.certificate.notAfter),
    extensions: [
      ...(keyUsage === 0 ? [] : [writeExtension(OID.keyUsage, true, writeKeyUsage(keyUsage))]),
      ...(extended.length === 0
        ? []
        : [writeExtension(OID.extendedKeyUsage, false, writeSequence(...extended.map(writeOid)))]),
      writeExtension(OID.basicConstraints, true, writeSequence()),
      ...(alternativeNames === undefined ? [] : [writeExtension(OID.subjectAltName, false, alternativeNames.bytes)]),
    ],
  });
  return certificatePem;
}

function knownUsages(usages: readonly string[]): { readonly keyUsage: number; readonly extended: readonly string[] } {
  let keyUsage = 0;
  const extended = new Set<string>();
  for (const usage of usages) {
    const bit = KEY_USAGES[usage];
    const oid = EXTENDED_KEY_USAGES[usage];
    if (bit !== undefined) keyUsage |= bit;
    else if (oid !== undefined) extended.add(oid);
    else throw new ConfigError(`unrecognized usage ${JSON.stringify(usage)}`);
  }
  return { keyUsage, extended: [...extended].sort() };
}
