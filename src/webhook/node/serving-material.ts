/**
 * The certificate of a webhook server together with the CAs that verify it, from files or from the program's own CA.
 */
import { ConfigError } from '../../base/errors.ts';
import { readTextFile } from '../../node/platform.ts';
import { readKeyPair } from '../../node/tls/read-key-pair.ts';
import type { ServingCertificates } from '../../node/tls/serving-certificates.ts';
import type { TlsConfig } from '../../node/tls/tls-config.ts';
import type { WebhookServerOptions } from '../webhook-server.ts';

export interface ServingMaterial {
  readonly tls: TlsConfig;
  /** PEM. */
  readonly ca: string;
}

export type CertificateFiles = Pick<WebhookServerOptions, 'certFile' | 'keyFile' | 'caFile'>;

/** Throws ConfigError if some but not all of the files are named. */
export function checkFiles({ certFile, keyFile, caFile }: CertificateFiles): void {
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new ConfigError('certFile and keyFile: set both or neither');
  if (certFile === undefined && caFile !== undefined) throw new ConfigError('caFile needs certFile and keyFile');
}

/** Reads the files, or issues a certificate if it is due. Throws ConfigError naming a file that cannot be used. */
export async function loadMaterial(
  { certFile, keyFile, caFile }: CertificateFiles,
  certificates: ServingCertificates,
): Promise<ServingMaterial> {
  if (certFile === undefined) {
    const { pair: tls, ca } = await certificates.serving();
    return { tls, ca };
  }
  const tls = await readKeyPair(certFile, keyFile ?? '');
  const ca = caFile === undefined ? tls.cert : await readTextFile(caFile);
  if (ca === undefined) throw new ConfigError(`caFile: ${caFile} does not exist`);
  return { tls, ca };
}
