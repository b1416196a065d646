/**
 * User name, groups and extra of a ServiceAccount.
 * Invariant: `splitServiceAccountUsername` accepts exactly the names that `serviceAccountUsername` makes.
 */

import { checkDns1123Label, checkDns1123Subdomain } from '../validation/name-syntax.ts';
import type { UserInfo } from './user-info.ts';

export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: ObjectReference | undefined;
  readonly node?: ObjectReference | undefined;
  /** The token's `jti`; empty if it has none. */
  readonly tokenId?: string | undefined;
}

export interface ObjectReference {
  readonly name: string;
  readonly uid: string;
}

const PREFIX = 'system:serviceaccount:';
const EXTRA = 'authentication.kubernetes.io/';

export function serviceAccountUsername(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** Splits a ServiceAccount's user name into namespace and name; undefined for any other user. */
export function splitServiceAccountUsername(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = username.slice(PREFIX.length).split(':', 3);
  if (more.length > 0 || checkDns1123Label(namespace).length > 0 || checkDns1123Subdomain(name).length > 0)
    return undefined;
  return { namespace, name };
}

/**
 * Returns `system:serviceaccounts` and `system:serviceaccounts:<namespace>`. The authentication filter adds
 * `system:authenticated`.
 */
function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

export function serviceAccountUser(identity: ServiceAccountIdentity): UserInfo {
  const { pod, node, tokenId } = identity;
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined && pod.name !== '' && pod.uid !== '') {
    extra[`${EXTRA}pod-name`] = [pod.name];
    extra[`${EXTRA}pod-uid`] = [pod.uid];
  }
  if (tokenId !== undefined && tokenId !== '') extra[`${EXTRA}credential-id`] = [credentialId(tokenId)];
  if (node !== undefined && node.name !== '') {
    extra[`${EXTRA}node-name`] = [node.name];
    if (node.uid !== '') extra[`${EXTRA}node-uid`] = [node.uid];
  }
  return {
    name: serviceAccountUsername(identity.namespace, identity.name),
    uid: identity.uid,
    groups: serviceAccountGroups(identity.namespace),
    extra,
  };
}

/** Returns the id under which audit events and user extra name a token. It never contains the token itself. */
export function credentialId(tokenId: string): string {
  return `JTI=${tokenId}`;
}
