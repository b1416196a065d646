/**
 * The comparison of this server's client CAs and ServiceAccount keys with those of the other API servers on its
 * storage. A server publishes hashes of both as annotations of its identity Lease. kube-apiserver does not; its CAs
 * are in the ConfigMap `extension-apiserver-authentication`.
 * Invariant: a rotation gives no warning if all servers trust the new CA or key before one of them uses it.
 */
import { annotationsOf, nameOf } from '../../apimachinery/meta/meta.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { parseCertificatesPem } from '../../pki/certificate.ts';
import type { PublicKey } from '../../pki/keys.ts';

/** Hashes of the client CAs, separated by commas. */
const CLIENT_CAS = 'keelson.dev/client-ca-hashes';
/** The ids of the keys that verify tokens, separated by commas. */
const VERIFYING_KEYS = 'keelson.dev/service-account-verifying-keys';
const SIGNING_KEY = 'keelson.dev/service-account-signing-key';

/** A server whose Lease was not renewed for this long, six times the interval, may be gone. */
const LIVE_MS = 60_000;

export interface SharedTrust {
  /** Hashes. Empty if client certificates are not accepted. */
  readonly clientCas: readonly string[];
  /** Key ids. */
  readonly verifyingKeys: readonly string[];
  readonly signingKey: string;
}

export function sharedTrust(
  clientCaPem: string,
  keys: { readonly signingKey: { readonly publicKey: PublicKey }; readonly verifyKeys: readonly PublicKey[] },
): SharedTrust {
  return {
    clientCas: caHashes(clientCaPem),
    verifyingKeys: keys.verifyKeys.map(({ keyId }) => keyId),
    signingKey: keys.signingKey.publicKey.keyId,
  };
}

/** Returns the annotations of the identity Lease. */
export function trustAnnotations({ clientCas, verifyingKeys, signingKey }: SharedTrust): Record<string, string> {
  return {
    [CLIENT_CAS]: clientCas.join(','),
    [VERIFYING_KEYS]: verifyingKeys.join(','),
    [SIGNING_KEY]: signingKey,
  };
}

export interface TrustComparison {
  readonly own: SharedTrust;
  /** The identity Leases as they are before this server writes its own. */
  readonly identities: readonly JsonObject[];
  /** `client-ca-file` of the ConfigMap before this server adds its CAs. '' if there is none. */
  readonly publishedCaPem: string;
  /** In milliseconds. */
  readonly now: number;
}

/** Returns a sentence for each difference that makes requests fail on one of the servers. */
export function trustWarnings({ own, identities, publishedCaPem, now }: TrustComparison): readonly string[] {
  const live = identities.filter((lease) => Date.parse(textAt(lease, 'spec', 'renewTime')) + LIVE_MS >= now);
  const published = caHashes(publishedCaPem);
  const namesOf = (differs: (lease: JsonObject) => boolean): string => live.filter(differs).map(nameOf).join(', ');
  const warnings: string[] = [];
  const cas = namesOf((lease) => isDisjoint(own.clientCas, listOf(lease, CLIENT_CAS) ?? published));
  if (cas !== '')
    warnings.push(
      `other API servers on this etcd do not trust the client CA of this server (${cas}): its client certificates are refused there, and theirs here; copy the folder pki of one data folder to all servers, or give all the same --client-ca-file`,
    );
  const keys = namesOf((lease) => {
    const [theirs, signing = ''] = [listOf(lease, VERIFYING_KEYS), annotationsOf(lease)[SIGNING_KEY]];
    return theirs !== undefined && !(theirs.includes(own.signingKey) && own.verifyingKeys.includes(signing));
  });
  if (keys !== '')
    warnings.push(
      `other API servers on this etcd have other ServiceAccount keys (${keys}): tokens of one server are refused by another; copy the folder pki of one data folder to all servers, or give all the same --service-account-key-file and --service-account-signing-key-file`,
    );
  return warnings;
}

function caHashes(pem: string): readonly string[] {
  return (parseCertificatesPem(pem) ?? []).map(({ der }) => sha256Hex(der).slice(0, 32));
}

function listOf(lease: JsonObject, annotation: string): readonly string[] | undefined {
  return annotationsOf(lease)
    [annotation]?.split(',')
    .filter((text) => text !== '');
}

/** False if a list is empty, because nothing is known then. */
function isDisjoint(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((text) => b.includes(text));
}
