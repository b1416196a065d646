/** Validation of PEM texts that must contain only certificates. */
import { quote } from '../../../apimachinery/go-format.ts';
import { readCertificate } from '../../../pki/certificate.ts';
import { parsePem } from '../../../pki/pem.ts';

/** Returns the message for an invalid text, or undefined. */
export function certificatesProblem(text: string): string | undefined {
  const blocks = parsePem(text);
  for (const { type, bytes, hasHeaders } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (hasHeaders === true) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    const parsed = readCertificate(bytes);
    if (!parsed.ok) return parsed.problem;
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
