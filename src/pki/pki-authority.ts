/**
 * A certificate authority in two files. Invariant: an authority is made only where there is no certificate, and renewed only by its own key
 * under its own name; one that came without its key is used as it is.
 */
import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { parseCertificatesPem } from './certificate.ts';
import { createCa, type Issuer, renewCa } from './certificates.ts';
import { NO_PRIVATE_KEY, parsePrivateKeyPem } from './keys.ts';
import { parsePem } from './pem.ts';
import { isDue, type Worklist } from './pki-worklist.ts';

export interface Authority {
  /** Where it is, for messages. */
  readonly certificatePath: string;
  readonly keyPath: string;
  /** The whole file; the first certificate is the one that issues. */
  readonly certificatePem: string;
  /** Undefined if the operator keeps it elsewhere: then nothing can be issued. */
  readonly keyPem: string | undefined;
  readonly certificate: X509Certificate;
}

/** What the authority signs with. Throws ConfigError if its key is not there. */
export async function issuerOf(authority: Authority): Promise<Issuer> {
  const { certificatePath, keyPath, certificatePem, keyPem } = authority;
  if (keyPem === undefined)
    throw new ConfigError(`${keyPath} is not there, so nothing can be issued by ${certificatePath}`);
  const key = await parsePrivateKeyPem(keyPem);
  if (key === undefined) throw new ConfigError(`${keyPath}: ${NO_PRIVATE_KEY}`);
  const certificate = parseCertificatesPem(certificatePem)?.[0];
  if (certificate === undefined) throw new ConfigError(`${certificatePath}: does not contain a valid certificate`);
  return { certificate, key };
}

export async function ensureAuthority(work: Worklist, name: string, commonName: string): Promise<Authority> {
  const certificateName = `${name}.crt`;
  const keyName = `${name}.key`;
  const keyText = work.text(keyName);
  const current = work.text(certificateName);
  const authorityOf = (certificatePem: string, keyPem: string | undefined): Authority => ({
    certificatePath: work.path(certificateName),
    keyPath: work.path(keyName),
    certificatePem,
    keyPem,
    certificate: work.certificate(certificateName, certificatePem),
  });
  if (current === undefined) {
    // A key alone is what a crash between the two files leaves behind.
    if (keyText !== undefined) work.privateKey(keyName, keyText);
    const key = keyText === undefined ? undefined : await parsePrivateKeyPem(keyText);
    const made = await createCa({ commonName, clock: work.clock, ...(key === undefined ? {} : { key }) });
    if (key === undefined) work.put(keyName, made.keyPem);
    work.put(certificateName, made.certificatePem);
    return authorityOf(made.certificatePem, keyText ?? made.keyPem);
  }
  const authority = authorityOf(current, keyText);
  const { certificate } = authority;
  if (!certificate.ca) throw new ConfigError(`${authority.certificatePath} is not the certificate of an authority`);
  if (keyText !== undefined) work.checkPair(certificateName, certificate, keyName, keyText);
  if (!isDue(certificate, work.clock.now())) return authority;
  if (keyText === undefined || !isRenewable(certificate, current)) {
    work.warn(`${authority.certificatePath} is valid until ${certificate.validTo} only and cannot be renewed here`);
    return authority;
  }
  const renewed = await renewCa(await issuerOf(authority), { clock: work.clock });
  work.put(certificateName, renewed.certificatePem);
  return authorityOf(renewed.certificatePem, keyText);
}

/** An intermediate authority is not ours to renew, and a bundle is kept by somebody who knows why. */
function isRenewable(certificate: X509Certificate, text: string): boolean {
  const alone = parsePem(text).filter((block) => block.type === 'CERTIFICATE').length === 1;
  return alone && certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}
