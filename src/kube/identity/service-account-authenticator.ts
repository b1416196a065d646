/**
 * The token authenticator for service accounts.
 * Invariant: a token is accepted only while the objects exist that it is bound to. They are read on every use.
 */

import { formatAggregate } from '../../apimachinery/go-format.ts';
import { listAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { parseTime } from '../../apimachinery/scalars/time.ts';
import { decodeBase64 } from '../../base/base64.ts';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type {
  BoundObject,
  BoundObjectLookup,
  BoundSecret,
  BoundServiceAccount,
  CheckNotes,
  Lookup,
} from '../../pki/bound-objects.ts';
import type { PublicKey } from '../../pki/keys.ts';
import { createTokenVerifier, INVALID_BEARER_TOKEN, type TokenAnswer } from '../../pki/service-account-tokens.ts';
import { type AuthenticationResult, NOT_RECOGNIZED, type TokenAuthenticator } from '../../server/authenticator.ts';
import type { ObjectReader } from '../../server/own/object-reader.ts';

export interface ServiceAccountAuthenticatorOptions {
  /** Accepted issuers. The first signs new tokens. */
  readonly issuers: readonly string[];
  readonly keys: readonly PublicKey[];
  readonly apiAudiences: readonly string[];
  /** `--service-account-lookup`: whether a legacy token must equal the token in its Secret. */
  readonly lookup: boolean;
  readonly clock: Clock;
  readonly serviceAccounts: ObjectReader;
  readonly secrets: ObjectReader;
  readonly pods: ObjectReader;
  readonly nodes: ObjectReader;
  /**
   * Called on the first use of a legacy token per day. Must not throw; the authenticator does not wait for its work.
   */
  noteLegacyUse(use: LegacyUse): void;
}

export type LegacyUse = NonNullable<CheckNotes['legacySecretUse']>;

export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const { issuers, keys, apiAudiences, clock } = options;
  const verifier = createTokenVerifier({
    issuers,
    keys,
    apiAudiences,
    legacyLookup: options.lookup,
    lookup: lookupOver(options),
    clock,
  });
  return async (token, audiences) => {
    const answer = await verifier.authenticate(token, audiences.length === 0 ? {} : { audiences });
    if (answer.kind !== 'unknown' && answer.notes.legacySecretUse !== undefined)
      options.noteLegacyUse(answer.notes.legacySecretUse);
    return resultOf(answer);
  };
}

function resultOf(answer: TokenAnswer): AuthenticationResult {
  switch (answer.kind) {
    case 'unknown':
      return NOT_RECOGNIZED;
    case 'rejected':
      return { outcome: 'failed', message: formatAggregate([INVALID_BEARER_TOKEN, answer.message]) };
    case 'authenticated':
      return {
        outcome: 'ok',
        user: answer.user,
        audiences: answer.audiences,
        annotations: answer.notes.annotations,
        warnings: answer.notes.warnings,
      };
  }
}

function lookupOver({ serviceAccounts, secrets, pods, nodes }: ServiceAccountAuthenticatorOptions): BoundObjectLookup {
  const read = <T extends BoundObject>(
    reader: ObjectReader,
    convert: (object: JsonObject) => T,
    namespace: string,
    name: string,
  ): MaybePromise<Lookup<T>> =>
    andThen(reader(namespace, name), (answer) =>
      'object' in answer ? { found: convert(answer.object) } : { error: answer.status.message ?? '' },
    );
  return {
    serviceAccount: (namespace, name) => read(serviceAccounts, toServiceAccount, namespace, name),
    secret: (namespace, name) => read(secrets, toSecret, namespace, name),
    pod: (namespace, name) => read(pods, toBoundObject, namespace, name),
    node: (name) => read(nodes, toBoundObject, '', name),
  };
}

function toBoundObject(object: JsonObject): BoundObject {
  const deleted = parseTime(textAt(object, 'metadata', 'deletionTimestamp'));
  return {
    uid: textAt(object, 'metadata', 'uid'),
    ...(deleted.ok ? { deletionTimestamp: deleted.value.seconds * 1000 } : undefined),
  };
}

function toServiceAccount(object: JsonObject): BoundServiceAccount {
  const secretNames = listAt(object, 'secrets')
    .filter(isJsonObject)
    .map((secret) => textAt(secret, 'name'));
  return { ...toBoundObject(object), secretNames };
}

function toSecret(object: JsonObject): BoundSecret {
  const token = decodeBase64(textAt(object, 'data', 'token'));
  const labels = objectAt(object, 'metadata', 'labels') as Record<string, string> | undefined;
  return {
    ...toBoundObject(object),
    ...(token === undefined ? undefined : { token }),
    ...(labels === undefined ? undefined : { labels }),
  };
}
