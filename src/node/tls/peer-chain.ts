/**
 * The certificates that the peer of a TLS connection sent. OpenSSL does the handshake, which proves that the peer holds
 * the key of the first certificate; it decides nothing about trust. Its contexts contain no usable trust anchor, so
 * that the rules of pki/verify-certificate are the only ones.
 */
import type { TLSSocket } from 'node:tls';
import { type Certificate, readCertificate } from '../../pki/certificate.ts';
import { CertificatePool } from '../../pki/x509/certificate-pool.ts';

export interface PeerChain {
  /** The certificate whose key the peer holds. */
  readonly leaf: Certificate;
  /** The other certificates that it sent, in any order. They are not trusted. */
  readonly intermediates: CertificatePool;
}

export type ReadPeerChain =
  | { readonly ok: true; readonly chain: PeerChain }
  /** `problem` follows the name of the peer in Go's messages about certificates that it does not accept at all. */
  | { readonly ok: false; readonly problem: PeerChainProblem };

export type PeerChainProblem =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'large-key' }
  | { readonly kind: 'unsupported-key' };

/** The bound of Go's crypto/tls, which keeps verification cheap. */
export const MAX_RSA_BITS = 8192;

/**
 * Returns the certificates in DER, in the order in which the peer sent them.
 *
 * Must be called once per connection, within the event that reports the end of the handshake. Node gives each
 * certificate away only once. The call also clears the errors that OpenSSL has left if the certificates do not fit
 * together, which Node would report as an error of the connection.
 */
export function takePeerCertificates(socket: TLSSocket): Uint8Array[] {
  const certificates: Uint8Array[] = [];
  // The `issuerCertificate` of a peer's certificate is the next one that it sent, whether or not that is the issuer.
  // Node's getPeerCertificate(true) would leave out those that OpenSSL does not consider to be issuers.
  for (let at = socket.getPeerX509Certificate(); at !== undefined; at = at.issuerCertificate)
    certificates.push(new Uint8Array(at.raw));
  return certificates;
}

/** Parses the certificates that a peer sent; undefined if it sent none. */
export function parsePeerChain(sent: readonly Uint8Array[]): ReadPeerChain | undefined {
  const certificates: Certificate[] = [];
  for (const der of sent) {
    const parsed = readCertificate(der);
    if (!parsed.ok) return { ok: false, problem: { kind: 'malformed', message: parsed.problem } };
    const { publicKey } = parsed.certificate;
    if (publicKey?.algorithm === 'RSA' && publicKey.bits > MAX_RSA_BITS)
      return { ok: false, problem: { kind: 'large-key' } };
    certificates.push(parsed.certificate);
  }
  const [leaf, ...others] = certificates;
  if (leaf === undefined) return undefined;
  if (leaf.publicKey === undefined || leaf.publicKey.algorithm === 'DSA')
    return { ok: false, problem: { kind: 'unsupported-key' } };
  return { ok: true, chain: { leaf, intermediates: new CertificatePool(others) } };
}
