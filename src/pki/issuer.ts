/** The certificate and the key of an authority, parsed, for signing. */
import { ConfigError } from '../base/errors.ts';
import { parseCertificatesPem } from './certificate.ts';
import type { Issuer } from './certificates.ts';
import { NO_PRIVATE_KEY, parsePrivateKeyPem } from './keys.ts';

/** The files of an authority. */
export interface AuthorityFiles {
  /** The paths of its files, for messages. */
  readonly certificatePath: string;
  readonly keyPath: string;
  /** The whole file. The first certificate is the issuing one. */
  readonly certificatePem: string;
  /** Undefined if the operator keeps the key elsewhere; then this server cannot issue certificates. */
  readonly keyPem: string | undefined;
  /** The contents of the files, if they are known already because the authority was made just now. */
  readonly issuer?: Issuer | undefined;
}

/**
 * The certificate and the key that the authority signs with. Throws ConfigError if the key file is missing or
 * malformed.
 */
export async function issuerOf(authority: AuthorityFiles): Promise<Issuer> {
  const { certificatePath, keyPath, certificatePem, keyPem, issuer } = authority;
  if (issuer !== undefined) return issuer;
  if (keyPem === undefined)
    throw new ConfigError(`${keyPath} is not there, so nothing can be issued by ${certificatePath}`);
  const key = await parsePrivateKeyPem(keyPem);
  if (key === undefined) throw new ConfigError(`${keyPath}: ${NO_PRIVATE_KEY}`);
  const certificate = parseCertificatesPem(certificatePem)?.[0];
  if (certificate === undefined) throw new ConfigError(`${certificatePath}: does not contain a valid certificate`);
  return { certificate, key };
}
