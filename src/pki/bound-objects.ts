/**
 * Whether the objects that a ServiceAccount token speaks of still exist. Invariant: objects are asked for on every use of a token (only the
 * signature may be remembered), so that deleting the account, the Secret, the Pod or the Node ends the token.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { BoundPrivateClaims, LegacyPrivateClaims } from './service-account-claims.ts';
import {
  type ObjectReference,
  type ServiceAccountIdentity,
  splitServiceAccountUsername,
} from './service-account-user.ts';

export interface BoundObject {
  readonly uid: string;
  /** Milliseconds since the epoch, if the object is being deleted. */
  readonly deletionTimestamp?: number | undefined;
}

export interface BoundServiceAccount extends BoundObject {
  /** Names in `secrets`: a legacy token in one of them was made automatically. */
  readonly secretNames?: readonly string[];
}

export interface BoundSecret extends BoundObject {
  /** `data.token`, decoded. */
  readonly token?: Uint8Array;
  readonly labels?: Readonly<Record<string, string>>;
}

/** An object, or why there is none: the text of the lookup's error, such as `serviceaccounts "x" not found`. */
export type Lookup<T> = { readonly found: T } | { readonly error: string };

/** Where tokens' objects are looked up; the server implements it over its own storage. Answers may be immediate. */
export interface BoundObjectLookup {
  serviceAccount(namespace: string, name: string): MaybePromise<Lookup<BoundServiceAccount>>;
  secret(namespace: string, name: string): MaybePromise<Lookup<BoundSecret>>;
  pod(namespace: string, name: string): MaybePromise<Lookup<BoundObject>>;
  node(name: string): MaybePromise<Lookup<BoundObject>>;
}

/** What a check wants said beside its answer. */
export interface CheckNotes {
  /** For the audit event of the request. */
  readonly annotations: Readonly<Record<string, string>>;
  /** For Warning headers. */
  readonly warnings: readonly string[];
  /** The Secret of a legacy token whose label `kubernetes.io/legacy-token-last-used` should be set to this date, if it is not yet. */
  readonly legacySecretUse?: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly date: string;
  };
}

export type CheckResult =
  | { readonly identity: ServiceAccountIdentity; readonly notes: CheckNotes }
  | { readonly error: string; readonly notes: CheckNotes };

export const LAST_USED_LABEL = 'kubernetes.io/legacy-token-last-used';
export const INVALID_SINCE_LABEL = 'kubernetes.io/legacy-token-invalid-since';

/** Clocks of two servers may differ by this much; also how long an object counts after its deletion. */
export const LEEWAY = 60_000;

export const NO_NOTES: CheckNotes = { annotations: {}, warnings: [] };
const INVALIDATED = 'service account token has been invalidated';

/** The objects of a bound token; its times were checked before. */
export async function checkBoundObjects(
  claims: BoundPrivateClaims,
  tokenId: string,
  lookup: BoundObjectLookup,
  now: number,
): Promise<CheckResult> {
  const { namespace, serviceAccount, secret, pod, node } = claims;
  const account = await lookup.serviceAccount(namespace, serviceAccount.name);
  if ('error' in account) return refuse(account.error);
  if (account.found.uid !== serviceAccount.uid)
    return refuse(`service account UID (${account.found.uid}) does not match claim (${serviceAccount.uid})`);
  if (isGone(account.found, now)) return refuse(`service account ${namespace}/${serviceAccount.name} has been deleted`);
  // Beside a pod the node is information, not a binding.
  const problem =
    (await checkReference('secret', secret, (name) => lookup.secret(namespace, name), now)) ??
    (await checkReference('pod', pod, (name) => lookup.pod(namespace, name), now)) ??
    (pod === undefined ? await checkReference('node', node, (name) => lookup.node(name), now) : undefined);
  if (problem !== undefined) return refuse(problem);
  return { identity: { namespace, ...serviceAccount, pod, node, tokenId }, notes: NO_NOTES };
}

async function checkReference(
  kind: 'secret' | 'pod' | 'node',
  reference: ObjectReference | undefined,
  find: (name: string) => MaybePromise<Lookup<BoundObject>>,
  now: number,
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  const object = await find(reference.name);
  if ('error' in object) return INVALIDATED;
  if (object.found.uid !== reference.uid)
    return `${kind} UID (${object.found.uid}) does not match service account ${kind} ref claim (${reference.uid})`;
  return isGone(object.found, now) ? INVALIDATED : undefined;
}

/** The claims of a legacy token and, if there is a lookup, its Secret and account. */
export async function checkLegacyToken(
  token: Uint8Array,
  subject: string,
  claims: LegacyPrivateClaims,
  lookup: BoundObjectLookup | undefined,
  now: number,
): Promise<CheckResult> {
  const { namespace, secretName, serviceAccountName: name, serviceAccountUid: uid } = claims;
  const needed = { sub: subject, namespace, secretName, serviceAccountName: name, serviceAccountUID: uid };
  for (const [claim, value] of Object.entries(needed)) if (value === '') return refuse(`${claim} claim is missing`);
  const split = splitServiceAccountUsername(subject);
  if (split === undefined || split.namespace !== namespace || split.name !== name)
    return refuse('sub claim is invalid');
  const identity = { namespace, name, uid };
  if (lookup === undefined) return { identity, notes: NO_NOTES };

  const secret = await lookup.secret(namespace, secretName);
  if ('error' in secret || secret.found.deletionTimestamp !== undefined) return refuse('Token has been invalidated');
  if (!equalInConstantTime(secret.found.token ?? new Uint8Array(), token))
    return refuse("Token does not match server's copy");
  const account = await lookup.serviceAccount(namespace, name);
  if ('error' in account) return refuse(account.error);
  if (account.found.deletionTimestamp !== undefined)
    return refuse(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.found.uid !== uid)
    return refuse(`ServiceAccount UID (${account.found.uid}) does not match claim (${uid})`);

  const use = legacyUse(namespace, secretName, secret.found, now);
  if ((secret.found.labels?.[INVALID_SINCE_LABEL] ?? '') !== '') {
    const annotations = { 'authentication.k8s.io/legacy-token-invalidated': `${secretName}/${namespace}` };
    const error = `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE_LABEL}' label from the secret to temporarily allow use of this token`;
    return { error, notes: { annotations, warnings: [], ...use } };
  }
  const automatic = account.found.secretNames?.includes(secretName) ?? false;
  const origin = automatic ? 'autogenerated' : 'manual';
  const annotations = { [`authentication.k8s.io/legacy-token-${origin}-secret`]: secretName };
  const warnings = automatic
    ? [
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      ]
    : [];
  return { identity, notes: { annotations, warnings, ...use } };
}

/** The label is written at most once a day; tomorrow's date may come from a server whose clock is ahead. */
function legacyUse(
  namespace: string,
  name: string,
  secret: BoundSecret,
  now: number,
): Pick<CheckNotes, 'legacySecretUse'> {
  const [today, tomorrow] = [now, now + 86_400_000].map((time) => new Date(time).toISOString().slice(0, 10));
  const lastUsed = secret.labels?.[LAST_USED_LABEL];
  if (today === undefined || lastUsed === today || lastUsed === tomorrow) return {};
  return { legacySecretUse: { namespace, name, uid: secret.uid, date: today } };
}

function isGone(object: BoundObject, now: number): boolean {
  return object.deletionTimestamp !== undefined && object.deletionTimestamp < now - LEEWAY;
}

function refuse(error: string): CheckResult {
  return { error, notes: NO_NOTES };
}

/** Time depends on the length only, so that nobody learns a Secret's token by guessing it byte by byte. */
function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}
