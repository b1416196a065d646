/** Validation of PEM texts that must contain only certificates. */
import { quote } from '../../../apimachinery/go-format.ts';
import { parseCertificate } from '../../../pki/certificate.ts';
import { parsePem } from '../../../pki/pem.ts';

/** Returns the message for an invalid text, or undefined. */
export function certificatesProblem(text: string): string | undefined {
  const blocks = parsePem(text);
  for (const { type, bytes, hasHeaders } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (hasHeaders === true) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (parseCertificate(bytes) === undefined) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
