/** What is wrong with a bundle of authorities. Invariant: one certificate that can be read is enough, as for the reference's pool. */
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { parseCertificate } from './certificate.ts';
import { parsePem } from './pem.ts';

const PROBLEM = 'unable to load root certificates';

/** `bundle` is base64 of PEM. The message is that of the reference's TLS setup, up to the details of a damaged certificate; undefined if it can be used. */
export function checkCaBundle(bundle: string): string | undefined {
  const bytes = decodeBase64(bundle);
  const blocks = bytes === undefined ? [] : parsePem(decodeUtf8(bytes));
  if (blocks.length === 0) return `${PROBLEM}: unable to parse bytes as PEM block`;
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.some((block) => parseCertificate(block.bytes) !== undefined)) return undefined;
  return certificates.length === 0
    ? `${PROBLEM}: no valid certificate authority data seen`
    : `${PROBLEM}: failed to parse certificate: x509: malformed certificate`;
}
