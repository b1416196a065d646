/**
 * CA bundles of objects and files. One readable certificate makes a bundle valid, as in the reference's certificate
 * pool.
 */
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { parsePem } from './pem.ts';
import { readPemCertificates } from './x509/certificate-pool.ts';

const PROBLEM = 'unable to load root certificates';

export type CaBundle =
  /** At least one certificate. Each is a trust anchor. */
  | { readonly ok: true; readonly certificates: readonly Certificate[] }
  /** `problem` is the message of the reference's TLS setup. */
  | { readonly ok: false; readonly problem: string };

/** Reads a bundle in PEM. Malformed certificates are ignored if there is another one. */
export function readCaBundle(pem: string): CaBundle {
  const certificates = readPemCertificates(pem);
  return certificates.length === 0 ? { ok: false, problem: problemOf(pem) } : { ok: true, certificates };
}

/** Checks a bundle in base64 of PEM. Returns undefined if it can be used. */
export function checkCaBundle(bundle: string): string | undefined {
  const bytes = decodeBase64(bundle);
  const read = readCaBundle(bytes === undefined ? '' : decodeUtf8(bytes));
  return read.ok ? undefined : read.problem;
}

function problemOf(pem: string): string {
  const blocks = parsePem(pem);
  if (blocks.length === 0) return `${PROBLEM}: unable to parse bytes as PEM block`;
  for (const { type, bytes, hasHeaders } of blocks) {
    if (type !== 'CERTIFICATE' || hasHeaders === true) continue;
    const parsed = readCertificate(bytes);
    if (!parsed.ok) return `${PROBLEM}: failed to parse certificate: ${parsed.problem}`;
  }
  return `${PROBLEM}: no valid certificate authority data seen`;
}
