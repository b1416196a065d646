/**
 * Verifies a TLS client certificate and finds the authorities that it chains to. OpenSSL verifies against all
 * authorities together and does not say which one matched, so the chain to each named authority is checked here.
 * Invariant: a certificate is accepted only if OpenSSL accepted it and a chain of valid signatures leads to a named
 * authority.
 */
import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { ConfigError, toError } from '../../base/errors.ts';
import type { PeerCertificate } from '../../server/http/exchange.ts';

/** Trusted certificates by the name of the authority. */
export type Authorities = ReadonlyMap<string, readonly X509Certificate[]>;

export type PeerVerification =
  | { readonly certificate: PeerCertificate; readonly notAfter: number }
  | { readonly problem: string };

/** The longest chain; Go's figure. */
const MAX_CHAIN = 10;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Parses PEM bundles. Throws ConfigError if a bundle has no certificate or a malformed one. */
export function parseAuthorities(bundles: Readonly<Record<string, string>>): Authorities {
  const authorities = new Map<string, readonly X509Certificate[]>();
  for (const [name, pem] of Object.entries(bundles)) {
    const blocks = pem.match(PEM_CERTIFICATE) ?? [];
    if (blocks.length === 0) throw new ConfigError(`the certificate authority "${name}" holds no PEM certificate`);
    try {
      authorities.set(
        name,
        blocks.map((block) => new X509Certificate(block)),
      );
    } catch (caught) {
      const cause = toError(caught);
      throw new ConfigError(`the certificate authority "${name}" cannot be read: ${cause.message}`, { cause });
    }
  }
  return authorities;
}

/** Verifies the certificate of a connected client at `nowMs` since the epoch; undefined if it sent none. */
export function verifyPeer(socket: TLSSocket, authorities: Authorities, nowMs: number): PeerVerification | undefined {
  // In this order: after getPeerX509Certificate, Node no longer returns the other certificates that the client sent.
  const details = socket.getPeerCertificate(true);
  const leaf = socket.getPeerX509Certificate();
  // Node calls a socket without a certificate "authorized".
  if (leaf === undefined) return undefined;
  if (!socket.authorized) return { problem: problemText(socket.authorizationError) };
  const sent = issuersOf(details);
  const names: string[] = [];
  for (const [name, trusted] of authorities) if (leadsTo(leaf, sent, trusted, nowMs)) names.push(name);
  if (names.length === 0) return { problem: 'x509: certificate signed by unknown authority' };
  return {
    notAfter: Date.parse(leaf.validTo),
    certificate: {
      authorities: names,
      // Of several common names the last one counts, as in Go.
      commonName: listOf(details.subject?.CN).at(-1) ?? '',
      organizations: listOf(details.subject?.O),
      der: leaf.raw,
    },
  };
}

function problemText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error ?? '');
  return text === '' ? 'the client certificate does not verify' : `the client certificate does not verify: ${text}`;
}

/** Node returns a list only if there are several values. */
function listOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function issuersOf(details: DetailedPeerCertificate): X509Certificate[] {
  const issuers: X509Certificate[] = [];
  let at = details.issuerCertificate;
  let below = details;
  while (at?.raw !== undefined && at.fingerprint256 !== below.fingerprint256 && issuers.length < MAX_CHAIN) {
    issuers.push(new X509Certificate(at.raw));
    below = at;
    at = at.issuerCertificate;
  }
  return issuers;
}

function leadsTo(
  leaf: X509Certificate,
  issuers: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  nowMs: number,
): boolean {
  let last = leaf;
  for (let depth = 0; ; depth++) {
    const at = last;
    if (trusted.some((authority) => authority.fingerprint256 === at.fingerprint256 || issued(authority, at, nowMs)))
      return true;
    const next = issuers[depth];
    if (next === undefined || !issued(next, last, nowMs)) return false;
    last = next;
  }
}

function issued(authority: X509Certificate, certificate: X509Certificate, nowMs: number): boolean {
  return (
    authority.ca &&
    Date.parse(authority.validFrom) <= nowMs &&
    nowMs <= Date.parse(authority.validTo) &&
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey)
  );
}
