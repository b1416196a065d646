/** What is wrong with a PEM text that must hold certificates and nothing else. Invariant: pure; the words are the reference's. */
import { quote } from '../../../apimachinery/go-format.ts';
import { parseCertificate } from '../../../pki/certificate.ts';
import { parsePem } from '../../../pki/pem.ts';

/** Undefined if it is fine. */
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
