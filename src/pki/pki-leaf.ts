/**
 * A certificate with its key in two files. Invariant: the key is made once and kept, so that a renewal replaces one file and a crash leaves
 * no pair that does not match; a certificate of somebody else's authority is used as it is or refused, never replaced.
 */
import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { issueClientCertificate, issueServerCertificate, type KeyedCertificate, servingNames } from './certificates.ts';
import { NO_PRIVATE_KEY, parsePrivateKeyPem } from './keys.ts';
import { type Authority, issuerOf } from './pki-authority.ts';
import { isDue, type Worklist } from './pki-worklist.ts';

export interface KeyedPem {
  readonly certificatePath: string;
  readonly keyPath: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

export type LeafWish =
  | { readonly kind: 'server'; readonly hosts: readonly string[] }
  | { readonly kind: 'client'; readonly user: string; readonly groups: readonly string[] };

export async function ensureLeaf(
  work: Worklist,
  name: string,
  authority: Authority,
  wish: LeafWish,
): Promise<KeyedPem> {
  const certificateName = `${name}.crt`;
  const keyName = `${name}.key`;
  const certificatePath = work.path(certificateName);
  const keyPath = work.path(keyName);
  const current = work.text(certificateName);
  const keyText = work.text(keyName);
  const issue = async (): Promise<KeyedPem> => {
    const made = await issueFor(work, keyPath, keyText, authority, wish);
    if (keyText === undefined) work.put(keyName, made.keyPem);
    work.put(certificateName, made.certificatePem);
    return { certificatePath, keyPath, certificatePem: made.certificatePem, keyPem: keyText ?? made.keyPem };
  };
  if (current === undefined) {
    if (keyText !== undefined) work.privateKey(keyName, keyText);
    return issue();
  }
  if (keyText === undefined)
    throw new ConfigError(`${keyPath} is missing, the key of the certificate in ${certificatePath}`);
  const certificate = work.certificate(certificateName, current);
  work.checkPair(certificateName, certificate, keyName, keyText);
  const kept = { certificatePath, keyPath, certificatePem: current, keyPem: keyText };
  const fault = faultOf(certificate, authority, wish, work.clock.now());
  if (fault === undefined) return kept;
  if (fault.kind === 'foreign' && wish.kind === 'client')
    throw new ConfigError(`${certificatePath} was not issued by ${authority.certificatePath}`);
  if (fault.kind !== 'foreign' && authority.keyPem !== undefined) return issue();
  if (fault.kind === 'forged')
    throw new ConfigError(
      `${certificatePath} was issued under the name of ${authority.certificatePath} but not with its key`,
    );
  if (fault.sentence !== undefined) work.warn(`${certificatePath} ${fault.sentence} and cannot be renewed here`);
  return kept;
}

interface Fault {
  /** `forged`: the authority's name without its signature, as when the authority was replaced. */
  readonly kind: 'foreign' | 'forged' | 'stale';
  readonly sentence?: string | undefined;
}

function faultOf(certificate: X509Certificate, authority: Authority, wish: LeafWish, now: number): Fault | undefined {
  const ended = isDue(certificate, now) ? `is valid until ${certificate.validTo} only` : undefined;
  const missing = wish.kind === 'server' ? missingName(certificate, wish.hosts) : undefined;
  const sentence = ended ?? (missing === undefined ? undefined : `does not name ${missing}`);
  if (certificate.issuer !== authority.certificate.subject) return { kind: 'foreign', sentence: ended };
  if (!certificate.verify(authority.certificate.publicKey)) return { kind: 'forged' };
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
  work: Worklist,
  keyPath: string,
  keyText: string | undefined,
  authority: Authority,
  wish: LeafWish,
): Promise<KeyedCertificate> {
  const issuer = await issuerOf(authority);
  const key = keyText === undefined ? undefined : await parsePrivateKeyPem(keyText);
  if (keyText !== undefined && key === undefined) throw new ConfigError(`${keyPath}: ${NO_PRIVATE_KEY}`);
  const options = { clock: work.clock, ...(key === undefined ? {} : { key }) };
  return wish.kind === 'server'
    ? issueServerCertificate(issuer, { ...options, hosts: wish.hosts })
    : issueClientCertificate(issuer, { ...options, user: wish.user, groups: wish.groups });
}
