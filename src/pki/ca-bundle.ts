/**
 * Validation of a CA bundle. One readable certificate makes the bundle valid, as in the reference's certificate pool.
 */
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { parseCertificate } from './certificate.ts';
import { parsePem } from './pem.ts';

const PROBLEM = 'unable to load root certificates';

/**
 * Checks a bundle in base64 of PEM. Returns undefined if it can be used, otherwise the message of the reference's TLS
 * setup; only the details of a damaged certificate differ.
 */
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
