/**
 * The certificate chain verifier with Go's rules: every certificate among the roots is a trust anchor, also a leaf or
 * an intermediate. Rejects chains with name constraints, which it does not evaluate. Error texts are Go's.
 * Invariant: it accepts no chain that Go's x509.Verify rejects, and the number of signature checks is bounded.
 */
import { equalBytes } from '../base/bytes.ts';
import { type Certificate, KEY_USAGE, OID } from './certificate.ts';
import { signatureProblem } from './verify-signature.ts';

export interface VerifyOptions {
  /** The leaf, then the other certificates that the peer sent, in any order. */
  readonly chain: readonly [Certificate, ...Certificate[]];
  /** The trust anchors. */
  readonly roots: readonly Certificate[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly usage: 'client' | 'server';
}

export type VerifyResult =
  | { readonly ok: true; readonly chain: readonly Certificate[] }
  /** `message` is the reference's text, such as `x509: certificate signed by unknown authority`. */
  | { readonly ok: false; readonly message: string };

const MAX_CHAIN = 10;
/** The bound of Go's crypto/x509. */
const MAX_SIGNATURE_CHECKS = 100;

interface Search {
  readonly options: VerifyOptions;
  checks: number;
  /** The error of the first candidate whose subject matched. */
  hint: { message: string; name: string } | undefined;
  /** A chain reached a root, but one of its certificates does not allow the usage. */
  wrongUsage: boolean;
}

/**
 * Verifies validity times, signatures, basic constraints, path lengths and extended key usage. Does not check host
 * names.
 */
export async function verifyCertificate(options: VerifyOptions): Promise<VerifyResult> {
  const [leaf] = options.chain;
  const invalid = checkCertificate(leaf, options.now, 0);
  if (invalid !== undefined) return { ok: false, message: invalid };
  const search: Search = { options, checks: 0, hint: undefined, wrongUsage: false };
  const chain = await extend([leaf], search);
  if (chain !== undefined) return { ok: true, chain };
  if (search.wrongUsage) return { ok: false, message: 'x509: certificate specifies an incompatible key usage' };
  const { hint } = search;
  const because =
    hint === undefined
      ? ''
      : ` (possibly because of ${JSON.stringify(hint.message)} while trying to verify candidate authority certificate ${JSON.stringify(hint.name)})`;
  return { ok: false, message: `x509: certificate signed by unknown authority${because}` };
}

async function extend(chain: readonly Certificate[], search: Search): Promise<readonly Certificate[] | undefined> {
  const last = chain.at(-1) as Certificate;
  const { roots, chain: sent } = search.options;
  if (roots.some((root) => equalBytes(root.der, last.der))) {
    if (chain.every((certificate) => allows(certificate, search.options.usage))) return chain;
    search.wrongUsage = true;
    return undefined;
  }
  if (chain.length === MAX_CHAIN) return undefined;
  for (const candidate of [...roots, ...sent.slice(1)]) {
    if (!equalBytes(candidate.subjectBytes, last.issuerBytes)) continue;
    if (chain.some((certificate) => equalBytes(certificate.der, candidate.der))) continue;
    if (search.checks === MAX_SIGNATURE_CHECKS) return undefined;
    search.checks++;
    const problem =
      (await checkIssued(last, candidate)) ?? checkCertificate(candidate, search.options.now, chain.length);
    if (problem !== undefined) {
      search.hint ??= { message: problem, name: candidate.commonName };
      continue;
    }
    const found = await extend([...chain, candidate], search);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Checks one certificate apart from its signature. `depth` is the number of certificates below it in the chain; the
 * leaf has 0.
 */
function checkCertificate(certificate: Certificate, now: number, depth: number): string | undefined {
  if (certificate.extensions.unknownCritical.length > 0) return 'x509: unhandled critical extension';
  const expired = 'x509: certificate has expired or is not yet valid: current time';
  if (now < certificate.notBefore) return `${expired} ${rfc3339(now)} is before ${rfc3339(certificate.notBefore)}`;
  if (now > certificate.notAfter) return `${expired} ${rfc3339(now)} is after ${rfc3339(certificate.notAfter)}`;
  const { pathLength } = certificate.extensions;
  if (depth > 0 && pathLength !== undefined && depth - 1 > pathLength)
    return 'x509: too many intermediates for path length constraint';
  return undefined;
}

function allows(certificate: Certificate, usage: 'client' | 'server'): boolean {
  const usages = certificate.extensions.extendedKeyUsage;
  const wanted = usage === 'client' ? OID.clientAuth : OID.serverAuth;
  return usages === undefined || usages.includes(OID.anyUsage) || usages.includes(wanted);
}

/**
 * Checks that `issuer` may sign certificates and signed this one. Returns undefined if so, otherwise Go's error text.
 */
async function checkIssued(certificate: Certificate, issuer: Certificate): Promise<string | undefined> {
  const { isCa, keyUsage } = issuer.extensions;
  if (!isCa || (keyUsage !== undefined && (keyUsage & KEY_USAGE.keyCertSign) === 0))
    return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  return signatureProblem(certificate, issuer.spki);
}

function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`;
}
