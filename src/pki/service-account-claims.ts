/**
 * The claims of ServiceAccount tokens, written and read as the reference does. A claim of the wrong type makes the
 * whole token invalid.
 */
import { cannotUnmarshal } from '../apimachinery/go-json.ts';
import { type ObjectReference, serviceAccountUsername } from '../apimachinery/meta/service-account-user.ts';
import { BugError } from '../base/errors.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { randomUuid } from '../base/random.ts';

/** The issuer of legacy tokens, which are stored in Secrets and never expire. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

/**
 * The expiration that kubelets request for projected volumes. A token requested for exactly this long lives for
 * EXTENDED_EXPIRATION_SECONDS; using it after this time is reported in the audit event.
 */
export const WARN_ONLY_EXPIRATION_SECONDS: number = 60 * 60 + 7;
export const EXTENDED_EXPIRATION_SECONDS: number = 24 * 365 * 60 * 60;

export interface ServiceAccountReference extends ObjectReference {
  readonly namespace: string;
}

export interface BoundClaimsOptions {
  readonly serviceAccount: ServiceAccountReference;
  /**
   * At most one of pod and secret. A node without a pod binds the token to the node; with a pod it is informational.
   */
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
  readonly node?: ObjectReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** 0, the default, for no warning. */
  readonly warnAfterSeconds?: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface NewClaims {
  /** Without `iss`, which the signer adds. */
  readonly claims: JsonObject;
  /** The `jti`, a new UUID. */
  readonly tokenId: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** Makes the claims of a token for a TokenRequest. */
export function boundClaims(options: BoundClaimsOptions): NewClaims {
  const { serviceAccount, pod, secret, node, now } = options;
  if (secret !== undefined && (pod !== undefined || node !== undefined))
    throw new BugError('a token can only be bound to one kind of object');
  const seconds = (after: number): number => Math.floor(now / 1000 + after);
  const tokenId = randomUuid();
  const expiresAt = seconds(options.expirationSeconds);
  const kubernetes: JsonObject = {
    namespace: serviceAccount.namespace,
    serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
  };
  for (const [kind, object] of Object.entries({ pod, secret, node }))
    if (object !== undefined) kubernetes[kind] = { name: object.name, uid: object.uid };
  const warnAfter = options.warnAfterSeconds ?? 0;
  if (warnAfter !== 0) kubernetes['warnafter'] = seconds(warnAfter);
  const claims: JsonObject = {
    sub: serviceAccountUsername(serviceAccount.namespace, serviceAccount.name),
    iat: seconds(0),
    nbf: seconds(0),
    exp: expiresAt,
    jti: tokenId,
    'kubernetes.io': kubernetes,
  };
  // Go omits an empty list.
  if (options.audiences.length > 0) claims['aud'] = [...options.audiences];
  return { claims, tokenId, expiresAt };
}

const LEGACY = 'kubernetes.io/serviceaccount/';

/**
 * Makes the claims of a token for a Secret of type `kubernetes.io/service-account-token`. The signer's issuer must be
 * LEGACY_ISSUER.
 */
export function legacyClaims(serviceAccount: ServiceAccountReference, secretName: string): JsonObject {
  return {
    sub: serviceAccountUsername(serviceAccount.namespace, serviceAccount.name),
    [`${LEGACY}namespace`]: serviceAccount.namespace,
    [`${LEGACY}secret.name`]: secretName,
    [`${LEGACY}service-account.name`]: serviceAccount.name,
    [`${LEGACY}service-account.uid`]: serviceAccount.uid,
  };
}

export interface PublicClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Seconds since the epoch; undefined if absent. */
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly tokenId: string;
}

export interface BoundPrivateClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectReference;
  readonly pod: ObjectReference | undefined;
  readonly secret: ObjectReference | undefined;
  readonly node: ObjectReference | undefined;
  readonly warnAfter: number | undefined;
}

export interface LegacyPrivateClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
}

export function readPublicClaims(payload: JsonObject): PublicClaims | string {
  const reader = new ClaimReader();
  return reader.finish({
    issuer: reader.text(payload, 'iss'),
    subject: reader.text(payload, 'sub'),
    audiences: reader.audiences(payload, 'aud'),
    expiry: reader.date(payload, 'exp'),
    notBefore: reader.date(payload, 'nbf'),
    issuedAt: reader.date(payload, 'iat'),
    tokenId: reader.text(payload, 'jti'),
  });
}

export function readBoundClaims(payload: JsonObject): BoundPrivateClaims | string {
  const reader = new ClaimReader();
  const kubernetes = reader.object(payload, 'kubernetes.io', 'serviceaccount.kubernetes') ?? {};
  return reader.finish({
    namespace: reader.text(kubernetes, 'namespace'),
    serviceAccount: reader.reference(kubernetes, 'serviceaccount') ?? { name: '', uid: '' },
    pod: reader.reference(kubernetes, 'pod'),
    secret: reader.reference(kubernetes, 'secret'),
    node: reader.reference(kubernetes, 'node'),
    warnAfter: reader.date(kubernetes, 'warnafter'),
  });
}

export function readLegacyClaims(payload: JsonObject): LegacyPrivateClaims | string {
  const reader = new ClaimReader();
  return reader.finish({
    namespace: reader.text(payload, `${LEGACY}namespace`),
    secretName: reader.text(payload, `${LEGACY}secret.name`),
    serviceAccountName: reader.text(payload, `${LEGACY}service-account.name`),
    serviceAccountUid: reader.text(payload, `${LEGACY}service-account.uid`),
  });
}

/**
 * Reads claims, and keeps the error of the first one whose type the reference's decoder rejects. Absent claims and null
 * read as empty, except null for `aud`, which is an error.
 */
class ClaimReader {
  #problem: string | undefined;

  finish<T>(claims: T): T | string {
    return this.#problem ?? claims;
  }

  text(object: JsonObject, key: string): string {
    const value = getField(object, key) ?? '';
    return typeof value === 'string' ? value : this.#refuse(cannotUnmarshal(value, 'Go value of type string'), '');
  }

  object(parent: JsonObject, key: string, type: string): JsonObject | undefined {
    const value = getField(parent, key) ?? undefined;
    if (value === undefined || isJsonObject(value)) return value;
    return this.#refuse(cannotUnmarshal(value, `Go value of type ${type}`), undefined);
  }

  reference(parent: JsonObject, key: string): ObjectReference | undefined {
    const object = this.object(parent, key, 'serviceaccount.ref');
    return object === undefined ? undefined : { name: this.text(object, 'name'), uid: this.text(object, 'uid') };
  }

  audiences(object: JsonObject, key: string): readonly string[] {
    const value = getField(object, key);
    if (value === undefined) return [];
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    return this.#refuse('go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience', []);
  }

  /** Reads whole seconds and truncates a fraction. A value outside of int64 becomes the smallest int64, as in Go. */
  date(object: JsonObject, key: string): number | undefined {
    const value = getField(object, key) ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'number' || typeof value === 'bigint') {
      const seconds = Math.trunc(Number(value));
      return Math.abs(seconds) < 2 ** 63 ? seconds : -(2 ** 63);
    }
    return this.#refuse('go-jose/go-jose/jwt: expected number value to unmarshal NumericDate', undefined);
  }

  #refuse<T>(problem: string, instead: T): T {
    this.#problem ??= problem;
    return instead;
  }
}
