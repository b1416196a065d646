/**
 * The signer and the verifier of ServiceAccount bearer tokens, both bound tokens and legacy tokens in Secrets.
 * Invariant: a token is accepted only after signature, issuer, audience, times and bound objects were checked, in the
 * reference's order and with its texts. The verifier caches signature checks; it repeats all other checks on every use.
 */
import { formatAggregate, quoteList } from '../apimachinery/go-format.ts';
import { serviceAccountUser } from '../apimachinery/meta/service-account-user.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { getField, type JsonObject } from '../base/json-value.ts';
import {
  type BoundObjectLookup,
  type CheckNotes,
  type CheckResult,
  checkBoundObjects,
  checkLegacyToken,
  LEEWAY,
  NO_NOTES,
} from './bound-objects.ts';
import { type Jws, parseJws, readJwsPayload, SIGNATURE_FAILURE, signJws, verifyJws } from './jws.ts';
import type { PrivateKey, PublicKey } from './keys.ts';
import {
  type BoundPrivateClaims,
  LEGACY_ISSUER,
  type LegacyPrivateClaims,
  type PublicClaims,
  readBoundClaims,
  readLegacyClaims,
  readPublicClaims,
} from './service-account-claims.ts';

export interface TokenSigner {
  readonly issuer: string;
  readonly publicKey: PublicKey;
  /** Signs a token with these claims. The signer's issuer replaces an `iss` claim. */
  sign(claims: JsonObject): Promise<string>;
}

export function createTokenSigner(options: { issuer: string; key: PrivateKey }): TokenSigner {
  const { issuer, key } = options;
  return { issuer, publicKey: key.publicKey, sign: (claims) => signJws(key, { ...claims, iss: issuer }) };
}

export interface TokenVerifierOptions {
  /** Accepted issuers; new tokens get the first one. LEGACY_ISSUER is always accepted, for tokens in Secrets. */
  readonly issuers: readonly string[];
  /** The keys that may have signed a token. */
  readonly keys: readonly PublicKey[];
  /** The audiences that a token needs if the request names none: `--api-audiences`, by default the issuer. */
  readonly apiAudiences: readonly string[];
  readonly lookup: BoundObjectLookup;
  /** `--service-account-lookup`: whether legacy tokens are compared with their Secret. Default true. */
  readonly legacyLookup?: boolean;
  readonly clock: Clock;
}

export type TokenAnswer =
  | {
      readonly kind: 'authenticated';
      readonly user: UserInfo;
      /** The audiences of the request that the token has too. */
      readonly audiences: readonly string[];
      readonly notes: CheckNotes;
    }
  | { readonly kind: 'rejected'; readonly message: string; readonly notes: CheckNotes }
  /**
   * Not a token of these issuers; another authenticator may accept it. If none does, the error is INVALID_BEARER_TOKEN.
   */
  | { readonly kind: 'unknown' };

export interface TokenVerifier {
  /**
   * Authenticates a token. `audiences` are those of a TokenReview; default `apiAudiences`. No content of a token makes
   * it throw.
   */
  authenticate(token: string, options?: { audiences?: readonly string[] }): Promise<TokenAnswer>;
}

export const INVALID_BEARER_TOKEN = 'invalid bearer token';

/**
 * Size of the cache of verified signatures; the oldest entry is evicted first. Only tokens with a valid signature enter
 * it, so clients cannot flood it.
 */
const CACHED_TOKENS = 4096;
const LONGEST_CACHED_TOKEN = 8192;

/**
 * Verified claims. Both forms are set if LEGACY_ISSUER is also configured as the issuer of bound tokens, as in old
 * clusters.
 */
interface Verified {
  readonly public: PublicClaims;
  readonly legacy: LegacyPrivateClaims | undefined;
  readonly bound: BoundPrivateClaims | undefined;
}

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  return new Verifier(options);
}

class Verifier implements TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #issuers: ReadonlySet<string>;
  readonly #keys = new Map<string, PublicKey[]>();
  readonly #verified = new Map<string, Verified>();

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#issuers = new Set(options.issuers);
    for (const key of options.keys) this.#keys.set(key.keyId, [...(this.#keys.get(key.keyId) ?? []), key]);
  }

  async authenticate(token: string, options: { audiences?: readonly string[] } = {}): Promise<TokenAnswer> {
    const cached = this.#verified.get(token);
    if (cached !== undefined) return this.#check(token, cached, options.audiences);
    const jws = parseJws(token);
    const issuer = jws === undefined ? undefined : unverifiedIssuer(jws);
    if (jws === undefined || issuer === undefined) return { kind: 'unknown' };
    if (issuer !== LEGACY_ISSUER && !this.#issuers.has(issuer)) return { kind: 'unknown' };
    const verified = await this.#verify(jws, issuer);
    if (typeof verified === 'string') return { kind: 'rejected', message: verified, notes: NO_NOTES };
    this.#cache(token, verified);
    return this.#check(token, verified, options.audiences);
  }

  #cache(token: string, verified: Verified): void {
    if (token.length > LONGEST_CACHED_TOKEN) return;
    if (this.#verified.size >= CACHED_TOKENS)
      for (const oldest of this.#verified.keys()) {
        this.#verified.delete(oldest);
        break;
      }
    this.#verified.set(token, verified);
  }

  /** Returns the claims if one of the keys signed them, otherwise the error text. */
  async #verify(jws: Jws, issuer: string): Promise<Verified | string> {
    const keys = jws.keyId === '' ? this.#options.keys : (this.#keys.get(jws.keyId) ?? []);
    if (keys.length === 0) return 'invalid signature, no keys found';
    const errors: string[] = [];
    for (const key of keys) {
      const verified = (await verifyJws(jws, key))
        ? readVerified(jws, issuer === LEGACY_ISSUER, this.#issuers.has(issuer))
        : SIGNATURE_FAILURE;
      if (typeof verified !== 'string') return verified;
      errors.push(verified);
    }
    return formatAggregate(errors);
  }

  async #check(token: string, verified: Verified, requested: readonly string[] | undefined): Promise<TokenAnswer> {
    const { apiAudiences } = this.#options;
    const { audiences } = verified.public;
    // Legacy tokens name no audience: they are valid for the API server only.
    const own = audiences.length === 0 ? apiAudiences : audiences;
    const wanted = requested ?? apiAudiences;
    const common = wanted.filter((audience) => own.includes(audience));
    if (common.length === 0 && apiAudiences.length !== 0) {
      const message = `token audiences ${quoteList(own)} is invalid for the target audiences ${quoteList(wanted)}`;
      return { kind: 'rejected', message, notes: this.#notes(verified, NO_NOTES) };
    }
    const result = await this.#checkObjects(token, verified);
    const notes = this.#notes(verified, result.notes);
    if ('error' in result) return { kind: 'rejected', message: result.error, notes };
    return { kind: 'authenticated', user: serviceAccountUser(result.identity), audiences: common, notes };
  }

  async #checkObjects(token: string, verified: Verified): Promise<CheckResult> {
    const { clock, lookup, legacyLookup } = this.#options;
    const { public: claims, legacy, bound } = verified;
    const now = clock.now();
    const used = legacyLookup === false ? undefined : lookup;
    const first = legacy && (await checkLegacyToken(encodeUtf8(token), claims.subject, legacy, used, now));
    if (bound === undefined || (first !== undefined && 'identity' in first)) return first as CheckResult;
    const second = await checkBound(claims, bound, lookup, now);
    if (first === undefined || 'identity' in second) return second;
    return { error: formatAggregate([first.error, second.error]), notes: first.notes };
  }

  #notes(verified: Verified, notes: CheckNotes): CheckNotes {
    if (verified.public.audiences.length > 0) return notes;
    const annotations = { 'authentication.k8s.io/legacy-token': verified.public.subject, ...notes.annotations };
    return { ...notes, annotations };
  }
}

/** Reads the issuer that an unverified token claims. Ignores duplicate keys, as the reference does at this point. */
function unverifiedIssuer(jws: Jws): string | undefined {
  const payload = readJwsPayload(jws.payload, 'ignore');
  const issuer = typeof payload === 'string' ? undefined : getField(payload, 'iss');
  return typeof issuer === 'string' ? issuer : undefined;
}

function readVerified(jws: Jws, asLegacy: boolean, asBound: boolean): Verified | string {
  const payload = readJwsPayload(jws.payload);
  if (typeof payload === 'string') return payload;
  const claims = readPublicClaims(payload);
  if (typeof claims === 'string') return claims;
  const legacy = asLegacy ? readLegacyClaims(payload) : undefined;
  if (typeof legacy === 'string') return legacy;
  const bound = asBound ? readBoundClaims(payload) : undefined;
  return typeof bound === 'string' ? bound : { public: claims, legacy, bound };
}

async function checkBound(
  claims: PublicClaims,
  bound: BoundPrivateClaims,
  lookup: BoundObjectLookup,
  now: number,
): Promise<CheckResult> {
  const untimely = checkTimes(claims, now);
  if (untimely !== undefined) return { error: untimely, notes: NO_NOTES };
  const result = await checkBoundObjects(bound, claims.tokenId, lookup, now);
  return 'error' in result ? result : { ...result, notes: staleNotes(claims, bound, now) };
}

function checkTimes(claims: PublicClaims, now: number): string | undefined {
  const { notBefore, expiry, issuedAt } = claims;
  if (notBefore !== undefined && now + LEEWAY < notBefore * 1000) return 'service account token is not valid yet';
  if (expiry !== undefined && now - LEEWAY > expiry * 1000) return 'service account token has expired';
  if (issuedAt !== undefined && now + LEEWAY < issuedAt * 1000) return 'service account token is issued in the future';
  return undefined;
}

/**
 * Reports a token that is used in its extended lifetime, so that operators find clients that do not reload their
 * tokens.
 */
function staleNotes(claims: PublicClaims, bound: BoundPrivateClaims, now: number): CheckNotes {
  const { warnAfter } = bound;
  if (warnAfter === undefined || warnAfter === 0 || now <= warnAfter * 1000) return NO_NOTES;
  const late = Math.floor(now / 1000) - warnAfter;
  const text = `subject: ${claims.subject}, seconds after warning threshold: ${late}`;
  return { annotations: { 'authentication.k8s.io/stale-token': text }, warnings: [] };
}
