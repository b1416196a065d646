/**
 * The client of a TLS connection: its address and its certificate, which is verified on first use.
 * Invariant: a certificate is accepted only while every certificate of its chain is valid, also on a connection that
 * was made before.
 */
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { PeerCertificate } from '../../server/http/exchange.ts';
import {
  MAX_RSA_BITS,
  type PeerChainProblem,
  parsePeerChain,
  type ReadPeerChain,
  takePeerCertificates,
} from './peer-chain.ts';
import { type Authorities, type PeerVerification, verifyPeer } from './verify-peer.ts';

export class TlsPeer {
  readonly remoteAddress: string;
  readonly #sent: readonly Uint8Array[];
  readonly #authorities: Authorities | undefined;
  readonly #clock: Clock;
  #chain: ReadPeerChain | 'unparsed' | undefined = 'unparsed';
  #verification: PeerVerification | undefined;

  /** Must be made within the event that reports the end of the handshake. */
  constructor(socket: TLSSocket, authorities: Authorities | undefined, clock: Clock) {
    this.#sent = authorities === undefined ? [] : takePeerCertificates(socket);
    this.#authorities = authorities;
    this.#clock = clock;
    this.remoteAddress = plainAddress(socket.remoteAddress);
  }

  certificate(): PeerCertificate | undefined {
    return this.#verify()?.certificate;
  }

  certificateProblem(authority: string): string | undefined {
    const verification = this.#verify();
    if (verification !== undefined) return verification.problems.get(authority);
    const chain = this.#chain;
    return chain === undefined || chain === 'unparsed' || chain.ok ? undefined : problemText(chain.problem);
  }

  /** Returns undefined if the client sent no certificate, or one that cannot be read. */
  #verify(): PeerVerification | undefined {
    if (this.#authorities === undefined) return undefined;
    if (this.#chain === 'unparsed') this.#chain = parsePeerChain(this.#sent);
    if (this.#chain === undefined || !this.#chain.ok) return undefined;
    const now = this.#clock.now();
    let verification = this.#verification;
    if (verification === undefined || now < verification.from || now > verification.until) {
      verification = verifyPeer(this.#chain.chain, this.#authorities, now);
      this.#verification = verification;
    }
    return verification;
  }
}

/** Go aborts the handshake in these cases. */
function problemText(problem: PeerChainProblem): string {
  switch (problem.kind) {
    case 'malformed':
      return `tls: failed to parse client certificate: ${problem.message}`;
    case 'large-key':
      return `tls: client sent certificate containing RSA key larger than ${MAX_RSA_BITS} bits`;
    case 'unsupported-key':
      return "tls: client's certificate contains an unsupported public key";
  }
}

/** Returns an IPv4-mapped IPv6 address as IPv4. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
