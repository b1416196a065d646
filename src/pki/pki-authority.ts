/**
 * A certificate authority in a certificate file and a key file. An authority without a key file is used but not
 * renewed.
 * Invariant: an authority is created only if its certificate file does not exist, and renewed only with its own key and
 * name.
 */

import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { createCa, renewCa } from './certificates.ts';
import { type AuthorityFiles, issuerOf } from './issuer.ts';
import { parsePrivateKeyPem } from './keys.ts';
import { parsePem } from './pem.ts';
import { isDueForRenewal, type PkiFiles } from './pki-files.ts';

export interface Authority extends AuthorityFiles {
  readonly certificate: X509Certificate;
}

/**
 * Loads an authority; undefined if its certificate file does not exist. Throws ConfigError naming a file that is
 * malformed or does not belong to the other.
 */
export function loadAuthority(files: PkiFiles, name: string): Authority | undefined {
  const [certificateName, keyName] = [`${name}.crt`, `${name}.key`];
  const certificatePem = files.text(certificateName);
  if (certificatePem === undefined) return undefined;
  const keyPem = files.text(keyName);
  const authority = authorityOf(files, name, certificatePem, keyPem);
  const { certificate, certificatePath } = authority;
  if (!certificate.ca) throw new ConfigError(`${certificatePath} is not the certificate of an authority`);
  if (keyPem !== undefined) files.checkPair(certificateName, certificate, keyName, keyPem);
  return authority;
}

/**
 * Loads an authority, creates it if its certificate file does not exist, and renews it if it is due. Throws ConfigError
 * naming a file that is malformed or does not belong to the other. Warns about an authority that is due but cannot be
 * renewed here.
 */
export async function ensureAuthority(files: PkiFiles, name: string, commonName: string): Promise<Authority> {
  const certificateName = `${name}.crt`;
  const keyName = `${name}.key`;
  const keyText = files.text(keyName);
  const authority = loadAuthority(files, name);
  if (authority === undefined) {
    // A crash between the two writes leaves a key without a certificate.
    if (keyText !== undefined) files.privateKey(keyName, keyText);
    const key = keyText === undefined ? undefined : await parsePrivateKeyPem(keyText);
    const made = await createCa({ commonName, clock: files.clock, ...(key === undefined ? {} : { key }) });
    if (key === undefined) files.put(keyName, made.keyPem);
    files.put(certificateName, made.certificatePem);
    return { ...authorityOf(files, name, made.certificatePem, keyText ?? made.keyPem), issuer: made };
  }
  const { certificate } = authority;
  if (!isDueForRenewal(certificate, files.clock.now())) return authority;
  if (keyText === undefined || !isRenewable(certificate, authority.certificatePem)) {
    files.warn(`${authority.certificatePath} is valid until ${certificate.validTo} only and cannot be renewed here`);
    return authority;
  }
  const renewed = await renewCa(await issuerOf(authority), { clock: files.clock });
  files.put(certificateName, renewed.certificatePem);
  return authorityOf(files, name, renewed.certificatePem, keyText);
}

function authorityOf(files: PkiFiles, name: string, certificatePem: string, keyPem: string | undefined): Authority {
  return {
    certificatePath: files.path(`${name}.crt`),
    keyPath: files.path(`${name}.key`),
    certificatePem,
    keyPem,
    certificate: files.certificate(`${name}.crt`, certificatePem),
  };
}

/** Only a self-signed authority that is alone in its file is renewed: an operator made any other file on purpose. */
function isRenewable(certificate: X509Certificate, text: string): boolean {
  const alone = parsePem(text).filter((block) => block.type === 'CERTIFICATE').length === 1;
  return alone && certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}
