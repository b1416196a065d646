/**
 * Finds the chains from a certificate to the trust anchors, with Go's rules and messages. Every certificate among the
 * anchors is trusted, also a leaf, an intermediate, and an authority of version 1.
 * Invariant: every signature of a returned chain was verified, every certificate of it is valid at the given time, and
 * every one but the first may issue certificates. At most 100 candidates are examined.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { equalBytes } from '../../base/bytes.ts';
import { type Certificate, KEY_USAGE } from '../certificate.ts';
import type { CertificatePool } from './certificate-pool.ts';
import { SIGNATURE_FAILURE, signatureMethod, type VerifySignature } from './check-signature.ts';

export interface ChainOptions {
  readonly roots: CertificatePool;
  readonly intermediates: CertificatePool;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly verifySignature: VerifySignature;
}

/** From the certificate itself to a trust anchor. */
export type Chain = readonly Certificate[];

export type Chains = { readonly chains: readonly Chain[] } | { readonly problem: string };

/** The bound of Go's crypto/x509. */
const MAX_CANDIDATES = 100;
const TOO_MANY_CANDIDATES = 'x509: signature check attempts limit reached while verifying certificate chain';

/** Returns all chains, or the message of the last candidate that was refused. `leaf` itself is not checked. */
export function buildChains(leaf: Certificate, options: ChainOptions): Chains {
  return extendChain([leaf], options, { candidates: 0 });
}

function extendChain(chain: Chain, options: ChainOptions, budget: { candidates: number }): Chains {
  const last = chain.at(-1) as Certificate;
  const chains: Chain[] = [];
  /** The message of the last candidate that signed the certificate and was refused. */
  let problem: string | undefined;
  /** The message of the first candidate that was refused. */
  let hint: string | undefined;
  search: for (const [pool, isRoot] of [
    [options.roots, true],
    [options.intermediates, false],
  ] as const) {
    for (const candidate of pool.issuersOf(last)) {
      if (++budget.candidates > MAX_CANDIDATES) {
        problem = TOO_MANY_CANDIDATES;
        break search;
      }
      if (candidate.publicKey === undefined || isInChain(candidate, chain)) continue;
      const unsigned = issuedProblem(last, candidate, options.verifySignature);
      if (unsigned !== undefined) {
        hint ??= hintOf(candidate, unsigned);
        continue;
      }
      problem = authorityProblem(candidate, { isRoot, depth: chain.length, now: options.now });
      if (problem !== undefined) {
        hint ??= hintOf(candidate, problem);
        continue;
      }
      const longer = [...chain, candidate];
      if (isRoot) {
        chains.push(longer);
        continue;
      }
      const found = extendChain(longer, options, budget);
      problem = 'problem' in found ? found.problem : undefined;
      if ('chains' in found) chains.push(...found.chains);
      if (problem === TOO_MANY_CANDIDATES) break search;
    }
  }
  if (chains.length > 0) return { chains };
  return { problem: problem ?? `x509: certificate signed by unknown authority${hint ?? ''}` };
}

function hintOf(candidate: Certificate, problem: string): string {
  const { commonName, organizations, serialNumber } = candidate;
  const name = commonName !== '' ? commonName : (organizations[0] ?? `serial:${BigInt(`0x${serialNumber}`)}`);
  return ` (possibly because of ${quote(problem)} while trying to verify candidate authority certificate ${quote(name)})`;
}

/**
 * Returns whether the chain has a certificate for the same subject, key and alternative names. Cross-signed authorities
 * would form endless chains otherwise.
 */
function isInChain(candidate: Certificate, chain: Chain): boolean {
  const names = candidate.extensions.alternativeNames?.bytes;
  for (const certificate of chain) {
    if (!equalBytes(candidate.subjectBytes, certificate.subjectBytes)) continue;
    if (!equalBytes(candidate.spki, certificate.spki)) continue;
    const others = certificate.extensions.alternativeNames?.bytes;
    if (names === undefined && others === undefined) return true;
    // Go looks no further after this difference.
    if (names === undefined || others === undefined) return false;
    if (equalBytes(names, others)) return true;
  }
  return false;
}

/** Returns undefined if `issuer` may sign certificates and signed this one, otherwise Go's message. */
function issuedProblem(certificate: Certificate, issuer: Certificate, verify: VerifySignature): string | undefined {
  const { hasBasicConstraints, isCa, keyUsage } = issuer.extensions;
  // Without basic constraints, only certificates of the versions before them may be authorities.
  const isAuthority = hasBasicConstraints ? isCa : issuer.version !== 3;
  if (!isAuthority || (keyUsage !== 0 && (keyUsage & KEY_USAGE.keyCertSign) === 0))
    return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  const method = signatureMethod(certificate.signatureScheme, issuer.publicKey, { allowsSha1: false });
  if (typeof method === 'string') return method;
  return verify(method, issuer, certificate) ? undefined : SIGNATURE_FAILURE[method.algorithm];
}

interface Place {
  readonly isRoot: boolean;
  /** The number of certificates below it in the chain. */
  readonly depth: number;
  readonly now: number;
}

/** Checks an authority apart from signatures. */
function authorityProblem(certificate: Certificate, { isRoot, depth, now }: Place): string | undefined {
  const invalid = validityProblem(certificate, now);
  if (invalid !== undefined) return invalid;
  const { hasBasicConstraints, isCa, pathLength } = certificate.extensions;
  if (!isRoot && !(hasBasicConstraints && isCa))
    return 'x509: certificate is not authorized to sign other certificates';
  return pathLength !== undefined && depth - 1 > pathLength
    ? 'x509: too many intermediates for path length constraint'
    : undefined;
}

/** Checks the critical extensions and the validity of a certificate. Returns undefined or Go's message. */
export function validityProblem({ extensions, notBefore, notAfter }: Certificate, now: number): string | undefined {
  if (extensions.unknownCritical.length > 0) return 'x509: unhandled critical extension';
  const expired = `x509: certificate has expired or is not yet valid: current time ${rfc3339(now)}`;
  if (now < notBefore) return `${expired} is before ${rfc3339(notBefore)}`;
  return now > notAfter ? `${expired} is after ${rfc3339(notAfter)}` : undefined;
}

function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`;
}
