/**
 * A leaf certificate and its key in two files. A renewal keeps the key, so it replaces one file, and a crash leaves no
 * mismatched pair.
 * Invariant: a certificate of another authority is used as it is or rejected, never replaced.
 */
import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { issueClientCertificate, issueServerCertificate, type KeyedCertificate, servingNames } from './certificates.ts';
import { issuerOf } from './issuer.ts';
import { NO_PRIVATE_KEY, parsePrivateKeyPem } from './keys.ts';
import type { Authority } from './pki-authority.ts';
import { isDueForRenewal, type PkiFiles } from './pki-files.ts';

export interface KeyedPem {
  readonly certificatePath: string;
  readonly keyPath: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

export type LeafRequest =
  | { readonly kind: 'server'; readonly hosts: readonly string[] }
  | { readonly kind: 'client'; readonly user: string; readonly groups: readonly string[] };

/**
 * Loads a leaf certificate, issues it if its file does not exist, and issues it again if it is due for renewal, lacks a
 * host, or was not signed with the authority's present key. Throws ConfigError naming a file that is malformed, missing
 * or not usable. Warns about a certificate that should be replaced but cannot be issued here.
 */
export async function ensureLeaf(
  files: PkiFiles,
  name: string,
  authority: Authority,
  request: LeafRequest,
): Promise<KeyedPem> {
  const certificateName = `${name}.crt`;
  const keyName = `${name}.key`;
  const certificatePath = files.path(certificateName);
  const keyPath = files.path(keyName);
  const current = files.text(certificateName);
  const keyText = files.text(keyName);
  const issue = async (): Promise<KeyedPem> => {
    const made = await issueFor(files, keyPath, keyText, authority, request);
    if (keyText === undefined) files.put(keyName, made.keyPem);
    files.put(certificateName, made.certificatePem);
    return { certificatePath, keyPath, certificatePem: made.certificatePem, keyPem: keyText ?? made.keyPem };
  };
  if (current === undefined) {
    if (keyText !== undefined) files.privateKey(keyName, keyText);
    return issue();
  }
  if (keyText === undefined)
    throw new ConfigError(`${keyPath} is missing, the key of the certificate in ${certificatePath}`);
  const certificate = files.certificate(certificateName, current);
  files.checkPair(certificateName, certificate, keyName, keyText);
  const kept = { certificatePath, keyPath, certificatePem: current, keyPem: keyText };
  const fault = faultOf(certificate, authority, request, files.clock.now());
  if (fault === undefined) return kept;
  if (fault.kind === 'foreign' && request.kind === 'client')
    throw new ConfigError(`${certificatePath} was not issued by ${authority.certificatePath}`);
  if (fault.kind !== 'foreign' && authority.keyPem !== undefined) return issue();
  if (fault.kind === 'unsigned')
    throw new ConfigError(
      `${certificatePath} was issued under the name of ${authority.certificatePath} but not with its key`,
    );
  if (fault.sentence !== undefined) files.warn(`${certificatePath} ${fault.sentence} and cannot be renewed here`);
  return kept;
}

interface Fault {
  /**
   * `foreign`: another authority issued it. `unsigned`: it names the authority as its issuer but was signed with
   * another key, as after the authority was replaced. `stale`: it is due for renewal or lacks a host.
   */
  readonly kind: 'foreign' | 'unsigned' | 'stale';
  readonly sentence?: string | undefined;
}

function faultOf(
  certificate: X509Certificate,
  authority: Authority,
  request: LeafRequest,
  now: number,
): Fault | undefined {
  const ended = isDueForRenewal(certificate, now) ? `is valid until ${certificate.validTo} only` : undefined;
  const missing = request.kind === 'server' ? missingName(certificate, request.hosts) : undefined;
  const sentence = ended ?? (missing === undefined ? undefined : `does not name ${missing}`);
  if (certificate.issuer !== authority.certificate.subject) return { kind: 'foreign', sentence: ended };
  if (!certificate.verify(authority.certificate.publicKey)) return { kind: 'unsigned' };
  return sentence === undefined ? undefined : { kind: 'stale', sentence };
}

function missingName(certificate: X509Certificate, hosts: readonly string[]): string | undefined {
  const { dnsNames, ips } = servingNames(hosts);
  return (
    dnsNames.find((name) => certificate.checkHost(name, { subject: 'never' }) === undefined) ??
    ips.find((ip) => certificate.checkIP(ip) === undefined)
  );
}

async function issueFor(
  files: PkiFiles,
  keyPath: string,
  keyText: string | undefined,
  authority: Authority,
  request: LeafRequest,
): Promise<KeyedCertificate> {
  const issuer = await issuerOf(authority);
  const key = keyText === undefined ? undefined : await parsePrivateKeyPem(keyText);
  if (keyText !== undefined && key === undefined) throw new ConfigError(`${keyPath}: ${NO_PRIVATE_KEY}`);
  const options = { clock: files.clock, ...(key === undefined ? {} : { key }) };
  return request.kind === 'server'
    ? issueServerCertificate(issuer, { ...options, hosts: request.hosts })
    : issueClientCertificate(issuer, { ...options, user: request.user, groups: request.groups });
}
