/**
 * The client of a TLS connection: its address and its certificate, which is verified on first use.
 * Invariant: an expired certificate counts as invalid, also on a connection that was made before it expired.
 */
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { PeerCertificate } from '../../server/http/exchange.ts';
import { type Authorities, type PeerVerification, verifyPeer } from './verify-peer.ts';

export class TlsPeer {
  readonly remoteAddress: string;
  readonly #socket: TLSSocket;
  readonly #authorities: Authorities | undefined;
  readonly #clock: Clock;
  #verification: PeerVerification | 'unasked' | undefined = 'unasked';

  constructor(socket: TLSSocket, authorities: Authorities | undefined, clock: Clock) {
    this.#socket = socket;
    this.#authorities = authorities;
    this.#clock = clock;
    this.remoteAddress = plainAddress(socket.remoteAddress);
  }

  certificate(): PeerCertificate | undefined {
    const verification = this.#verify();
    if (verification === undefined || 'problem' in verification) return undefined;
    return this.#clock.now() > verification.notAfter ? undefined : verification.certificate;
  }

  certificateProblem(): string | undefined {
    const verification = this.#verify();
    if (verification === undefined) return undefined;
    if ('problem' in verification) return verification.problem;
    return this.#clock.now() > verification.notAfter ? 'x509: certificate has expired or is not yet valid' : undefined;
  }

  #verify(): PeerVerification | undefined {
    if (this.#verification === 'unasked') {
      this.#verification =
        this.#authorities === undefined ? undefined : verifyPeer(this.#socket, this.#authorities, this.#clock.now());
    }
    return this.#verification;
  }
}

/** Returns an IPv4-mapped IPv6 address as IPv4. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return '';
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
