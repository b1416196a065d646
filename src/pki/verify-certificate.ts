/**
 * The certificate verifier for TLS in both directions. Its verdicts and messages are those of Go's x509.Verify with a
 * given pool of roots, which the reference uses for webhooks, extension servers and client certificates.
 * Invariant: a certificate is accepted only if a chain of verified signatures leads to a trust anchor and every
 * certificate of that chain allows it. compat/reference compares the verifier with Go's.
 */
import { type Certificate, OID } from './certificate.ts';
import { buildChains, type Chain, type ChainOptions, validityProblem } from './x509/build-chains.ts';
import { nameConstraintsProblem } from './x509/check-names.ts';
import { policiesAreValid } from './x509/check-policies.ts';
import { hostnameProblem } from './x509/verify-hostname.ts';

export interface VerifyOptions extends ChainOptions {
  readonly usage: 'client' | 'server';
  /** The name or IP address that the certificate must be valid for. Default: names are not checked. */
  readonly host?: string;
}

export type VerifyResult =
  /** At least one chain. */
  | { readonly ok: true; readonly chains: readonly Chain[] }
  /** `message` is Go's, such as `x509: certificate signed by unknown authority`. */
  | { readonly ok: false; readonly message: string };

const USAGES = { client: OID.clientAuth, server: OID.serverAuth } as const;

export function verifyCertificate(leaf: Certificate, options: VerifyOptions): VerifyResult {
  const invalid =
    validityProblem(leaf, options.now) ??
    (options.host === undefined ? undefined : hostnameProblem(leaf, options.host));
  if (invalid !== undefined) return { ok: false, message: invalid };
  const built = options.roots.has(leaf) ? { chains: [[leaf]] } : buildChains(leaf, options);
  if ('problem' in built) return { ok: false, message: built.problem };
  return acceptedChains(built.chains, options.usage);
}

/** Returns the chains whose certificates all allow the usage, the policies and the names. */
function acceptedChains(candidates: readonly Chain[], usage: VerifyOptions['usage']): VerifyResult {
  const chains: Chain[] = [];
  let invalidPolicies = 0;
  let incompatibleUsages = 0;
  let forbiddenName: string | undefined;
  for (const chain of candidates) {
    if (!policiesAreValid(chain)) invalidPolicies++;
    else if (!chain.every((certificate) => allowsUsage(certificate, USAGES[usage]))) incompatibleUsages++;
    else {
      const problem = nameConstraintsProblem(chain);
      if (problem === undefined) chains.push(chain);
      else forbiddenName ??= problem;
    }
  }
  if (chains.length > 0) return { ok: true, chains };
  if (forbiddenName !== undefined)
    return {
      ok: false,
      message: `x509: a root or intermediate certificate is not authorized to sign for this name: ${forbiddenName}`,
    };
  if (invalidPolicies === 0) return { ok: false, message: 'x509: certificate specifies an incompatible key usage' };
  const details = [
    ...(incompatibleUsages > 0 ? [`${incompatibleUsages} candidate chains with incompatible key usage`] : []),
    `${invalidPolicies} candidate chains with invalid policies`,
  ];
  return { ok: false, message: `x509: no valid chains built: ${details.join(', ')}` };
}

/** An authority with extended key usages limits those of the certificates below it. */
function allowsUsage({ extensions: { extendedKeyUsage } }: Certificate, usage: string): boolean {
  return extendedKeyUsage.length === 0 || extendedKeyUsage.includes(OID.anyUsage) || extendedKeyUsage.includes(usage);
}
