/**
 * Verifies a TLS client certificate against each named authority of a listener.
 * Invariant: a certificate belongs to an authority only if pki/verify-certificate accepts it for TLS clients with the
 * certificates of that authority as trust anchors.
 */
import { ConfigError } from '../../base/errors.ts';
import { type Certificate, readCertificate } from '../../pki/certificate.ts';
import { parsePem } from '../../pki/pem.ts';
import { verifyCertificate } from '../../pki/verify-certificate.ts';
import { verifySignature } from '../../pki/verify-signature-node.ts';
import type { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import type { PeerCertificate } from '../../server/http/exchange.ts';
import type { PeerChain } from './peer-chain.ts';

/** Trusted certificates by the name of the authority. */
export type Authorities = ReadonlyMap<string, CertificatePool>;

/** The result of a verification, which holds for some time. */
export interface PeerVerification {
  /** Undefined if no authority accepts the certificate. */
  readonly certificate: PeerCertificate | undefined;
  /** Why an authority does not accept the certificate, by the name of the authority. */
  readonly problems: ReadonlyMap<string, string>;
  /** The times in milliseconds since the epoch between which the result holds, both included. */
  readonly from: number;
  readonly until: number;
}

/** Messages contain the time in seconds. A refused certificate is verified at most once per second. */
const REFUSED_MS = 1_000;

/** Parses PEM bundles. Throws ConfigError if a bundle has no certificate or a malformed one. */
export function parseAuthorities(bundles: Readonly<Record<string, string>>): ReadonlyMap<string, Certificate[]> {
  const authorities = new Map<string, Certificate[]>();
  for (const [name, pem] of Object.entries(bundles)) {
    const certificates = parsePem(pem).flatMap(({ type, bytes }) => {
      if (type !== 'CERTIFICATE') return [];
      const parsed = readCertificate(bytes);
      if (parsed.ok) return [parsed.certificate];
      throw new ConfigError(`the certificate authority "${name}" cannot be read: ${parsed.problem}`);
    });
    if (certificates.length === 0)
      throw new ConfigError(`the certificate authority "${name}" holds no PEM certificate`);
    authorities.set(name, certificates);
  }
  return authorities;
}

/** Verifies the certificates of a client at `now`, in milliseconds since the epoch. */
export function verifyPeer(
  { leaf, intermediates }: PeerChain,
  authorities: Authorities,
  now: number,
): PeerVerification {
  const accepted: string[] = [];
  const problems = new Map<string, string>();
  let from = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  for (const [name, roots] of authorities) {
    const result = verifyCertificate(leaf, { roots, intermediates, now, usage: 'client', verifySignature });
    if (result.ok) {
      accepted.push(name);
      const [chain] = result.chains;
      for (const { notBefore, notAfter } of chain ?? []) {
        from = Math.max(from, notBefore);
        until = Math.min(until, notAfter);
      }
    } else problems.set(name, result.message);
  }
  if (accepted.length === 0) return { certificate: undefined, problems, from: now, until: now + REFUSED_MS - 1 };
  const { commonName, organizations, der } = leaf;
  return { certificate: { authorities: accepted, commonName, organizations, der }, problems, from, until };
}
