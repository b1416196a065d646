/**
 * The simplest way to serve a handler on Node: TLS on loopback, with a certificate made in memory unless one is given.
 */
import { systemClock } from '../base/clock.ts';
import { createCa, issueServerCertificate } from '../pki/certificates.ts';
import { formatKubeconfig } from '../pki/kubeconfig.ts';
import { type Listener, type ListenerOptions, startListener } from './listener.ts';
import type { TlsConfig } from './tls/tls-config.ts';

export interface ListenOptions extends Partial<Omit<ListenerOptions, 'handler'>>, Pick<ListenerOptions, 'handler'> {}

export interface LocalListener {
  readonly listener: Listener;
  /** `https://127.0.0.1:40123`. */
  readonly url: string;
  /** A kubeconfig with a meaningless token. It trusts the generated authority, or the given certificate. */
  readonly kubeconfig: string;
  /** Closes every connection and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and any free port unless told otherwise. Without `tls` it makes an authority and a certificate
 * for localhost that last as long as the process. Throws ConfigError if the port or the certificate cannot be used.
 */
export async function listen(options: ListenOptions): Promise<LocalListener> {
  const { tls, caPem } =
    options.tls === undefined ? await temporaryTls() : { tls: options.tls, caPem: options.tls.cert };
  const listener = await startListener({ host: '127.0.0.1', port: 0, ...options, tls });
  return {
    listener,
    url: listener.url,
    kubeconfig: formatKubeconfig({ server: listener.url, caPem, credentials: NO_CREDENTIALS }),
    stop: () => listener.stop(),
  };
}

/** Without any credentials kubectl asks for a password. */
const NO_CREDENTIALS = { kind: 'token', token: 'none' } as const;

async function temporaryTls(): Promise<{ readonly tls: TlsConfig; readonly caPem: string }> {
  const ca = await createCa({ clock: systemClock, commonName: 'keelson' });
  const serving = await issueServerCertificate(ca, { clock: systemClock, commonName: 'localhost' });
  return { tls: { cert: serving.certificatePem, key: serving.keyPem }, caPem: ca.certificatePem };
}
