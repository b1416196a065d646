/**
 * The modes of impersonation. Each of the four constrained modes (KEP-5284) requires the permission
 * `impersonate-on:<mode>:<verb>` for the request and `impersonate:<mode>` for every part of the requested user. The
 * last mode is the unconstrained `impersonate`.
 *
 * Invariant: a mode allows an impersonation only if the authorizer allows each of these permissions. Nothing is cached
 * between requests, so a removed permission takes effect at once.
 */

import { quote } from '../../../apimachinery/go-format.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import type { Status } from '../../../apimachinery/status/status.ts';
import { formatIssues } from '../../../apimachinery/validation/field-issue.ts';
import { childPath } from '../../../apimachinery/validation/field-path.ts';
import { validateDomainPrefixedPath } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import { type Authorizer, MASTERS_GROUP, type RequestAttributes } from '../../authorizer.ts';
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from '../authentication/anonymous.ts';
import { forbiddenStatus } from '../authorization.ts';

export type ModeResult =
  | {
      readonly outcome: 'ok';
      readonly user: UserInfo;
      /** '' for the unconstrained mode. */
      readonly constraint: string;
    }
  | { readonly outcome: 'refused'; readonly status: Status };

/**
 * Returns undefined if the mode does not apply to the requested user. `request` has the attributes of the request with
 * its authenticated user.
 */
export type ImpersonationMode = (requested: UserInfo, request: RequestAttributes) => Promise<ModeResult | undefined>;

/** Returns the modes in the order in which they are tried. */
export function impersonationModes(authorizer: Authorizer): readonly ImpersonationMode[] {
  const legacy: Mode = {
    authorizer,
    verb: 'impersonate',
    constraint: '',
    group: '',
    transform: (attributes) => attributes,
  };
  return [
    constrained(authorizer, 'associated-node', isAssociatedNode, forAllNodes),
    constrained(
      authorizer,
      'arbitrary-node',
      (requested) => hasOnlyName(requested) && nodeName(requested.name) !== undefined,
    ),
    constrained(
      authorizer,
      'serviceaccount',
      (requested) => hasOnlyName(requested) && splitServiceAccount(requested.name) !== undefined,
    ),
    constrained(
      authorizer,
      'user-info',
      ({ name }) => nodeName(name) === undefined && splitServiceAccount(name) === undefined,
    ),
    (requested, { user }) => impersonate(legacy, requested, user),
  ];
}

/** The API group of uids and extras; in the constrained modes also of users and groups. */
const IDENTITY_GROUP = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
/** From this number of groups or extra values on, the permission for `*` is checked first. */
const WILDCARD_THRESHOLD = 4;

interface Mode {
  readonly authorizer: Authorizer;
  readonly verb: string;
  /** '' for the unconstrained mode, otherwise the verb. */
  readonly constraint: string;
  /** The API group of users, groups and service accounts. */
  readonly group: string;
  /** Changes the attributes before the authorizer sees them. */
  transform(attributes: RequestAttributes): RequestAttributes;
}

function constrained(
  authorizer: Authorizer,
  name: string,
  applies: (requested: UserInfo, requestor: UserInfo) => boolean,
  transform: (attributes: RequestAttributes) => RequestAttributes = (attributes) => attributes,
): ImpersonationMode {
  const verb = `impersonate:${name}`;
  const mode: Mode = { authorizer, verb, constraint: verb, group: IDENTITY_GROUP, transform };
  return async (requested, request) => {
    if (!applies(requested, request.user)) return undefined;
    const refusal = await check(mode, { ...request, verb: `impersonate-on:${name}:${request.verb}` });
    return refusal === undefined ? impersonate(mode, requested, request.user) : { outcome: 'refused', status: refusal };
  };
}

async function impersonate(mode: Mode, requested: UserInfo, requestor: UserInfo): Promise<ModeResult> {
  const refusal =
    (await checkName(mode, requested, requestor)) ??
    (await checkUid(mode, requested, requestor)) ??
    (await checkGroups(mode, requested, requestor)) ??
    (await checkExtra(mode, requested, requestor));
  if (refusal !== undefined) return { outcome: 'refused', status: refusal };
  return { outcome: 'ok', user: { ...requested, groups: groupsOf(mode, requested) }, constraint: mode.constraint };
}

function checkName(mode: Mode, requested: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  const user = permission(mode, requestor, mode.group, 'users', requested.name);
  const node = mode.constraint === '' ? undefined : nodeName(requested.name);
  if (node !== undefined) return check(mode, { ...user, resource: 'nodes', name: node });
  const account = splitServiceAccount(requested.name);
  return check(mode, account === undefined ? user : { ...user, resource: 'serviceaccounts', ...account });
}

async function checkUid(mode: Mode, { uid }: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  return uid === '' ? undefined : check(mode, permission(mode, requestor, IDENTITY_GROUP, 'uids', uid));
}

async function checkGroups(mode: Mode, { groups }: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  if (groups.length === 0) return undefined;
  const about = (name: string): RequestAttributes => permission(mode, requestor, mode.group, 'groups', name);
  if (mode.constraint !== '') {
    if (groups.includes('')) return forbiddenStatus(about(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(MASTERS_GROUP))
      return forbiddenStatus(about(MASTERS_GROUP), `impersonating the ${MASTERS_GROUP} group is not allowed`);
    if (groups.length >= WILDCARD_THRESHOLD && (await check(mode, about('*'))) === undefined) return undefined;
  }
  for (const group of groups) {
    const refusal = await check(mode, about(group));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function checkExtra(mode: Mode, { extra }: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  const entries = Object.entries(extra);
  if (entries.length === 0) return undefined;
  const about = (key: string, value: string): RequestAttributes => ({
    ...permission(mode, requestor, IDENTITY_GROUP, 'userextras', value),
    subresource: key,
  });
  if (mode.constraint !== '') {
    const problem = extraProblem(entries);
    if (problem !== undefined) return forbiddenStatus(about('', ''), problem);
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0);
    if (Math.max(count, entries.length) >= WILDCARD_THRESHOLD && (await check(mode, about('*', '*'))) === undefined)
      return undefined;
  }
  for (const [key, values] of entries) {
    for (const value of values) {
      const refusal = await check(mode, about(key, value));
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** Returns why the constrained modes refuse these extras, regardless of permissions. */
function extraProblem(entries: readonly (readonly [string, readonly string[]])[]): string | undefined {
  const path = childPath(childPath(undefined, 'extra'), 'key');
  for (const [key, values] of entries) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const issues = validateDomainPrefixedPath(key, path);
    if (issues.length > 0) return `impersonating an invalid key in extra is not allowed: ${formatIssues(issues)}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/**
 * Returns the requested groups and the implied ones: those of nodes and service accounts, and `system:authenticated` or
 * `system:unauthenticated`.
 */
function groupsOf(mode: Mode, requested: UserInfo): readonly string[] {
  let { groups } = requested;
  if (mode.constraint !== '' && nodeName(requested.name) !== undefined) groups = ['system:nodes'];
  else if (groups.length === 0) {
    const account = splitServiceAccount(requested.name);
    if (account !== undefined) groups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  }
  const implied = requested.name === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  return groups.includes(implied) || groups.includes(UNAUTHENTICATED_GROUP) ? groups : [...groups, implied];
}

function permission(mode: Mode, user: UserInfo, apiGroup: string, resource: string, name: string): RequestAttributes {
  return {
    user,
    verb: mode.verb,
    namespace: '',
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource: '',
    name,
    path: '',
    isResourceRequest: true,
  };
}

/** Returns undefined if the permission is granted. */
async function check(mode: Mode, permission: RequestAttributes): Promise<Status | undefined> {
  const attributes = mode.transform(permission);
  const { decision, reason, error } = await mode.authorizer.authorize(attributes);
  if (decision === 'allow') return undefined;
  return forbiddenStatus(attributes, error === '' || reason === '' ? error + reason : `${error}: ${reason}`);
}

/**
 * In this mode the permission is for all nodes, and the authorizer sees only the names of the sender's extra keys. So
 * one rule allows each pod of a DaemonSet to impersonate its own node.
 */
function forAllNodes(attributes: RequestAttributes): RequestAttributes {
  const { user, verb } = attributes;
  const extra = { [ASSOCIATED_KEYS]: Object.keys(user.extra).sort(compareUtf8) };
  const name = verb === 'impersonate:associated-node' ? '*' : attributes.name;
  return { ...attributes, user: { ...user, extra }, name };
}

function isAssociatedNode(requested: UserInfo, requestor: UserInfo): boolean {
  const node = nodeName(requested.name);
  if (node === undefined || !hasOnlyName(requested) || splitServiceAccount(requestor.name) === undefined) return false;
  const nodes = requestor.extra[NODE_NAME];
  return nodes?.length === 1 && nodes[0] === node;
}

/** Reports whether the requested user has a name and nothing else. */
function hasOnlyName({ uid, groups, extra }: UserInfo): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeName(user: string): string | undefined {
  const name = user.startsWith('system:node:') ? user.slice('system:node:'.length) : undefined;
  return name !== undefined && nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

function splitServiceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith('system:serviceaccount:')) return undefined;
  const [namespace = '', name = '', ...more] = user.slice('system:serviceaccount:'.length).split(':');
  const valid =
    more.length === 0 && checkDns1123Label(namespace).length === 0 && checkDns1123Subdomain(name).length === 0;
  return valid ? { namespace, name } : undefined;
}
