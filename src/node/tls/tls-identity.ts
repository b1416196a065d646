/**
 * The TLS configuration of a listener: its serving certificates and the CAs of its clients, as one value that can be
 * replaced at run time.
 * Invariant: a listener gets only what OpenSSL has accepted, so replacing a TlsIdentity never leaves it half changed.
 */
import { constants, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError, toError } from '../../base/errors.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import { authorityNames } from './authority-names.ts';
import type { KeyPair, SniKeyPair, TlsConfig } from './tls-config.ts';
import { type Authorities, parseAuthorities } from './verify-peer.ts';

export interface TlsIdentity {
  /** Options for `setSecureContext`. */
  readonly options: SecureContextOptions;
  readonly authorities: Authorities | undefined;
  /** Returns the context for a server name; undefined for the default one. */
  contextFor(serverName: string): SecureContext | undefined;
}

/** AES-128-GCM comes first because it needs about 7 % less CPU time for lists. All ciphers have forward secrecy. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * Checks and prepares a configuration, except for the default certificate, which `withDefaultCertificate` checks.
 * Throws ConfigError naming the part that cannot be used.
 */
export function createTlsIdentity(config: TlsConfig): TlsIdentity {
  const authorities = config.clientCa === undefined ? undefined : parseAuthorities(config.clientCa);
  // An empty list, not undefined: for undefined Node would trust the public CAs for client certificates.
  const ca = config.namesClientCa === false ? [] : authorityNames([...(authorities?.values() ?? [])].flat());
  const optionsOf = (pair: KeyPair): SecureContextOptions => ({
    key: pair.key,
    cert: pair.cert,
    ca,
    ciphers: CIPHERS,
    honorCipherOrder: true,
    minVersion: config.minVersion ?? 'TLSv1.2',
    // A resumed session lacks the intermediates that the client sent, so its certificate might not verify.
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
  const options = optionsOf(config);
  const sni = (config.sni ?? []).map((pair, index) => {
    const what = `the serving certificate for ${pair.names?.join(', ') ?? `SNI pair ${index + 1}`}`;
    return { fits: nameTest(pair), context: withCertificate(what, () => createSecureContext(optionsOf(pair))) };
  });
  return {
    options,
    authorities: authorities === undefined ? undefined : poolsOf(authorities),
    contextFor: (serverName) => sni.find((entry) => entry.fits(serverName.toLowerCase()))?.context,
  };
}

function poolsOf(authorities: ReadonlyMap<string, readonly Certificate[]>): Authorities {
  return new Map([...authorities].map(([name, certificates]) => [name, new CertificatePool(certificates)]));
}

/** Makes a server or a context of the default certificate. Throws ConfigError if OpenSSL does not accept it. */
export function withDefaultCertificate<T>(make: () => T): T {
  return withCertificate('the serving certificate', make);
}

function withCertificate<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (caught) {
    const cause = toError(caught);
    throw new ConfigError(`${what} and its key cannot be used: ${cause.message}`, { cause });
  }
}

function nameTest(pair: SniKeyPair): (serverName: string) => boolean {
  if (pair.names === undefined) {
    const certificate = new X509Certificate(pair.cert);
    return (serverName) => certificate.checkHost(serverName) !== undefined;
  }
  const names = new Set(pair.names.map((name) => name.toLowerCase()));
  return (serverName) => {
    if (names.has(serverName)) return true;
    const dot = serverName.indexOf('.');
    return dot > 0 && names.has(`*${serverName.slice(dot)}`);
  };
}
