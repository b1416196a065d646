/**
 * Makes TLS connections to other servers.
 * Invariant: a connection leaves this file only after its server's certificate was accepted by pki/verify-certificate
 * for the host of the URL, unless the owner of the pool asked for `insecure`. Before that, nothing but the handshake is
 * sent.
 */
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { readCaBundle } from '../../pki/ca-bundle.ts';
import { verifyCertificate } from '../../pki/verify-certificate.ts';
import { verifySignature } from '../../pki/verify-signature-node.ts';
import { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import type { ClientKeyPair } from '../../server/http/outbound.ts';
import { MAX_RSA_BITS, type PeerChainProblem, parsePeerChain, takePeerCertificates } from '../tls/peer-chain.ts';
import type { DirectReads } from './direct-reads.ts';
import { MisconfiguredError, NotSentError, STOPPED } from './errors.ts';
import { DIAL_MS, KEEP_ALIVE_MS } from './limits.ts';
import { type HttpProxy, openProxyTunnel } from './proxy-tunnel.ts';
import type { Origin } from './target.ts';

export interface TrustOptions {
  /** PEM, each certificate of which is a trust anchor; empty for the authorities that the system trusts. */
  readonly ca: string;
  readonly clientCertificate: ClientKeyPair | undefined;
  /** Accepts any certificate. Default false. */
  readonly insecure?: boolean;
  /** Default: none. */
  readonly proxy?: HttpProxy | undefined;
  readonly clock: Clock;
  readonly systemRoots: () => CertificatePool;
}

/** A connection after its handshake, with the certificates that the server sent. */
interface Connected {
  readonly socket: TLSSocket;
  readonly certificates: readonly Uint8Array[];
}

interface ConnectOptions {
  readonly protocols: string[];
  readonly tunnel: Socket | undefined;
  readonly reads: DirectReads | undefined;
}

export class Dialer {
  readonly #options: TrustOptions;
  /** Connections that are being made. */
  readonly #connecting = new Set<{ destroy(error: Error): unknown }>();
  #roots: CertificatePool | undefined;
  #context: SecureContext | undefined;
  #stopped = false;

  constructor(options: TrustOptions) {
    this.#options = options;
  }

  /**
   * Connects. Rejects with a NotSentError, whose cause is Node's error if there is no connection, and whose message is
   * in Go's words if the server's certificate is not accepted. With `reads`, the connection is read by it.
   */
  async dial(origin: Origin, protocols: string[], reads?: DirectReads): Promise<TLSSocket> {
    const roots = this.#options.insecure ? undefined : this.#trustAnchors();
    const { proxy } = this.#options;
    const tunnel = proxy === undefined ? undefined : await this.#tunnel(proxy, origin);
    const { socket, certificates } = await this.#connect(origin, { protocols, tunnel, reads });
    const problem = this.#stopped ? STOPPED : roots && this.#serverProblem(certificates, origin.servername, roots);
    if (problem === undefined) return socket;
    socket.destroy();
    throw new NotSentError(problem);
  }

  /** Ends connections that are being made. Later ones fail. */
  stop(): void {
    this.#stopped = true;
    for (const socket of this.#connecting) socket.destroy(new NotSentError(STOPPED));
  }

  async #tunnel(proxy: HttpProxy, origin: Origin): Promise<Socket> {
    if (this.#stopped) throw new NotSentError(STOPPED);
    const tunnel = openProxyTunnel(proxy, origin);
    this.#connecting.add(tunnel);
    const late = new NotSentError(`the proxy ${proxy.host}:${proxy.port} did not answer CONNECT in time`);
    const timer = setTimeout(() => tunnel.destroy(late), DIAL_MS);
    try {
      return await tunnel.socket;
    } finally {
      clearTimeout(timer);
      this.#connecting.delete(tunnel);
    }
  }

  #connect({ host, port, servername }: Origin, { protocols, tunnel, reads }: ConnectOptions): Promise<Connected> {
    if (this.#stopped) {
      tunnel?.destroy();
      return Promise.reject(new NotSentError(STOPPED));
    }
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...(tunnel === undefined ? { host, port } : { socket: tunnel }),
        // A name without the final period, and no IP address (RFC 6066, 3).
        ...(isIP(servername) === 0 ? { servername: servername.replace(/\.$/, '') } : undefined),
        ALPNProtocols: protocols,
        secureContext: this.#secureContext(),
        // `#serverProblem` verifies the certificate instead of OpenSSL.
        rejectUnauthorized: false,
        // Node ignores `onread` on a given socket.
        ...(reads !== undefined && tunnel === undefined && { onread: reads.onread }),
      });
      reads?.bind(socket, tunnel === undefined);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      this.#connecting.add(socket);
      const timer = setTimeout(() => {
        const late = socket.connecting ? `dial tcp ${host}:${port}: i/o timeout` : 'net/http: TLS handshake timeout';
        socket.destroy(new NotSentError(late));
      }, DIAL_MS);
      const failed = (cause: Error): void =>
        reject(cause instanceof NotSentError ? cause : new NotSentError(cause.message, { cause }));
      const settle = (): void => {
        clearTimeout(timer);
        this.#connecting.delete(socket);
        socket.off('error', failed);
      };
      socket.once('error', failed);
      socket.once('close', settle);
      socket.once('secureConnect', () => {
        settle();
        resolve({ socket, certificates: takePeerCertificates(socket) });
      });
    });
  }

  /** Returns why the server is not trusted. */
  #serverProblem(certificates: readonly Uint8Array[], host: string, roots: CertificatePool): string | undefined {
    const sent = parsePeerChain(certificates);
    if (sent === undefined) return 'tls: received empty certificates message';
    if (!sent.ok) return problemText(sent.problem);
    const { leaf, intermediates } = sent.chain;
    const now = this.#options.clock.now();
    const result = verifyCertificate(leaf, { roots, intermediates, now, usage: 'server', host, verifySignature });
    return result.ok ? undefined : `tls: failed to verify certificate: ${result.message}`;
  }

  #trustAnchors(): CertificatePool {
    this.#roots ??= this.#options.ca === '' ? this.#options.systemRoots() : poolOf(this.#options.ca);
    return this.#roots;
  }

  /** OpenSSL gets no authority: the empty list keeps Node from adding its own. */
  #secureContext(): SecureContext {
    try {
      this.#context ??= createSecureContext({ ca: [], ...this.#options.clientCertificate });
      return this.#context;
    } catch (caught) {
      // The certificate and the key do not belong together, or are not PEM.
      throw new MisconfiguredError(`tls: the client certificate cannot be used: ${toError(caught).message}`);
    }
  }
}

function poolOf(ca: string): CertificatePool {
  const bundle = readCaBundle(ca);
  if (!bundle.ok) throw new MisconfiguredError(bundle.problem);
  return new CertificatePool(bundle.certificates);
}

function problemText(problem: PeerChainProblem): string {
  switch (problem.kind) {
    case 'malformed':
      return `tls: failed to parse certificate from server: ${problem.message}`;
    case 'large-key':
      return `tls: server sent certificate containing RSA key larger than ${MAX_RSA_BITS} bits`;
    case 'unsupported-key':
      return "tls: server's certificate contains an unsupported type of public key";
  }
}
