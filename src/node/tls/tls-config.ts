/**
 * The configuration of TLS as data. It refers to no type of Node, because it is public: programs without `@types/node`
 * compile against it.
 */

export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM: the serving certificate, then its intermediates. */
  readonly cert: string;
}

export interface SniKeyPair extends KeyPair {
  /** `example.org` or `*.example.org`. Default: the names in the certificate. */
  readonly names?: readonly string[];
}

export interface TlsConfig extends KeyPair {
  /** Certificates for particular server names; the first match is used. */
  readonly sni?: readonly SniKeyPair[];
  /**
   * PEM bundles, keyed by the name that appears in `PeerCertificate.authorities` (`client`, `front-proxy`). Default:
   * clients are not asked for a certificate.
   */
  readonly clientCa?: Readonly<Record<string, string>>;
  /**
   * Whether a server names the CAs when it asks for a certificate (RFC 8446, section 4.2.4). Without names a client
   * sends any certificate that it has, and the server decides. Naming them takes 40 ms once: Node parses all of its
   * root certificates. Default true.
   */
  readonly namesClientCa?: boolean;
  /** Default TLS 1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
}
