/**
 * Whether a certificate chains to a trusted authority, for callers that no TLS stack stands in front of (in-process requests, tests, front
 * proxies). Invariant: nothing is accepted that Go's x509.Verify refuses (name constraints, which are not read here, refuse the chain), the
 * texts are Go's, and work is bounded however the certificates point at each other.
 */
import { equalBytes } from '../base/bytes.ts';
import { type Certificate, KEY_USAGE, OID } from './certificate.ts';
import { readDerSequence, readUnsigned } from './der.ts';
import { type CryptoKey, importPublicKey, signatureHalf } from './keys.ts';

export interface VerifyOptions {
  /** The certificate itself, then whatever else the peer sent. */
  readonly chain: readonly [Certificate, ...Certificate[]];
  /** Trusted as they are. */
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
/** Go's own bound. */
const MAX_SIGNATURE_CHECKS = 100;

interface Search {
  readonly options: VerifyOptions;
  checks: number;
  /** Why the first candidate that had the right name did not do. */
  hint: { message: string; name: string } | undefined;
  /** A chain was found whose certificates do not allow the usage. */
  wrongUsage: boolean;
}

/** Verifies time, signatures, authority, path length and usage. Names are not checked: a client certificate has none to check. */
export async function verifyCertificate(options: VerifyOptions): Promise<VerifyResult> {
  const [leaf] = options.chain;
  const invalid = checkItself(leaf, options.now, 0);
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
    const problem = (await checkIssued(last, candidate)) ?? checkItself(candidate, search.options.now, chain.length);
    if (problem !== undefined) {
      search.hint ??= { message: problem, name: candidate.commonName };
      continue;
    }
    const found = await extend([...chain, candidate], search);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `depth` is how many certificates stand below this one; at 0 it need not be an authority. */
function checkItself(certificate: Certificate, now: number, depth: number): string | undefined {
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

const SIGNATURES: Readonly<Record<string, { family: 'ECDSA' | 'RSA'; hash: string }>> = {
  '1.2.840.113549.1.1.11': { family: 'RSA', hash: 'SHA-256' },
  '1.2.840.113549.1.1.12': { family: 'RSA', hash: 'SHA-384' },
  '1.2.840.113549.1.1.13': { family: 'RSA', hash: 'SHA-512' },
  '1.2.840.10045.4.3.2': { family: 'ECDSA', hash: 'SHA-256' },
  '1.2.840.10045.4.3.3': { family: 'ECDSA', hash: 'SHA-384' },
  '1.2.840.10045.4.3.4': { family: 'ECDSA', hash: 'SHA-512' },
};

/** What is wrong with the claim that `issuer` signed `certificate`; undefined if nothing is. */
async function checkIssued(certificate: Certificate, issuer: Certificate): Promise<string | undefined> {
  const { isCa, keyUsage } = issuer.extensions;
  if (!isCa || (keyUsage !== undefined && (keyUsage & KEY_USAGE.keyCertSign) === 0))
    return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  const scheme = SIGNATURES[certificate.signatureAlgorithm];
  const key = await importPublicKey(issuer.spki);
  const half = key === undefined ? undefined : signatureHalf(key.algorithm);
  if (scheme === undefined || key === undefined || (scheme.family === 'RSA') !== (half === undefined))
    return 'x509: cannot verify signature: algorithm unimplemented';
  const { subtle } = globalThis.crypto;
  const data = Uint8Array.from(certificate.signedBytes);
  if (half === undefined) {
    const params = { name: 'RSASSA-PKCS1-v1_5', hash: scheme.hash };
    // Web Crypto ties an RSA key to one hash.
    const bound: CryptoKey = await subtle.importKey('spki', Uint8Array.from(key.spki), params, false, ['verify']);
    const good = await subtle.verify(params, bound, Uint8Array.from(certificate.signature), data);
    return good ? undefined : 'crypto/rsa: verification error';
  }
  const halves = (readDerSequence(certificate.signature) ?? []).map((element) => readUnsigned(element, half));
  const [r, s] = halves;
  if (halves.length !== 2 || r === undefined || s === undefined) return 'x509: ECDSA verification failure';
  const signature = new Uint8Array(2 * half);
  signature.set(r);
  signature.set(s, half);
  const good = await subtle.verify({ name: 'ECDSA', hash: scheme.hash }, key.cryptoKey, signature, data);
  return good ? undefined : 'x509: ECDSA verification failure';
}

function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`;
}
