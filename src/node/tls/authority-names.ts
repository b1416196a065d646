/** Certificates that carry the names of client authorities to OpenSSL, and nothing that it could trust. */
import type { Certificate } from '../../pki/certificate.ts';
import {
  contextTag,
  DER,
  writeBitString,
  writeDer,
  writeDerTime,
  writeOid,
  writeSequence,
  writeUnsigned,
} from '../../pki/der.ts';
import { formatPem } from '../../pki/pem.ts';

/**
 * Returns certificates in PEM with the subjects of the authorities, for the option `ca` of a listener. OpenSSL sends
 * the subjects to clients, which choose a certificate by them, as the reference's clients do.
 *
 * With the real certificates OpenSSL would also verify clients, by other rules than Go's. Some releases of Node 24 and
 * 26 then hide the intermediates of a client that OpenSSL accepts (nodejs/node#65579). A key for X25519 cannot verify
 * signatures, so OpenSSL takes none of these certificates for an issuer and verifies no signature with them. A failed
 * one would be harmful: Node reports it as an error of the connection.
 */
export function authorityNames(authorities: Iterable<Certificate>): string[] {
  const subjects = new Map<string, Uint8Array>();
  for (const { subjectBytes } of authorities) subjects.set(Buffer.from(subjectBytes).toString('latin1'), subjectBytes);
  return [...subjects.values()].map((subject, i) => formatPem('CERTIFICATE', nameCertificate(subject, i + 1)));
}

const X25519 = '1.3.101.110';
const ED25519 = '1.3.101.112';

/** Returns a certificate that is only a carrier of the subject: its key and its signature are not valid. */
function nameCertificate(subject: Uint8Array, serial: number): Uint8Array {
  const algorithm = writeSequence(writeOid(ED25519));
  const key = writeSequence(writeSequence(writeOid(X25519)), writeBitString(new Uint8Array(32)));
  const signed = writeSequence(
    writeDer(contextTag(0, true), writeDer(DER.integer, Uint8Array.of(2))),
    writeUnsigned(Uint8Array.of(serial >> 8, serial & 255)),
    algorithm,
    subject,
    writeSequence(writeDerTime(Date.UTC(2000, 0)), writeDerTime(Date.UTC(2049, 0))),
    subject,
    key,
  );
  return writeSequence(signed, algorithm, writeBitString(new Uint8Array(64)));
}
