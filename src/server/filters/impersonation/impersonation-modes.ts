/**
 * The ways in which one user may act as another: four constrained ones (KEP-5284), each of which needs
 * `impersonate-on:<mode>:<verb>` for the request itself and `impersonate:<mode>` for every part of the wanted user, and
 * the old all-or-nothing `impersonate`. Invariant: a mode says yes only if the authorizer said yes to each of its
 * questions; nothing is remembered between requests, so a withdrawn permission counts at once.
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
  | { readonly outcome: 'ok'; readonly user: UserInfo /** '' for the old way. */; readonly constraint: string }
  | { readonly outcome: 'refused'; readonly status: Status };

/**
 * Undefined if the mode is not for this kind of user. `request` is what the request itself asks for, by its real
 * sender.
 */
export type ImpersonationMode = (wanted: UserInfo, request: RequestAttributes) => Promise<ModeResult | undefined>;

/** In the order in which they are tried. */
export function impersonationModes(authorizer: Authorizer): readonly ImpersonationMode[] {
  const legacy: Mode = { authorizer, verb: 'impersonate', constraint: '', group: '', seen: (question) => question };
  return [
    constrained(authorizer, 'associated-node', isAssociatedNode, asAnyOfItsPods),
    constrained(authorizer, 'arbitrary-node', (wanted) => isBare(wanted) && nodeName(wanted.name) !== undefined),
    constrained(
      authorizer,
      'serviceaccount',
      (wanted) => isBare(wanted) && splitServiceAccount(wanted.name) !== undefined,
    ),
    constrained(
      authorizer,
      'user-info',
      ({ name }) => nodeName(name) === undefined && splitServiceAccount(name) === undefined,
    ),
    (wanted, { user }) => impersonate(legacy, wanted, user),
  ];
}

/** The API group of uids and extras, and in the constrained modes of users and groups too. */
const IDENTITY_GROUP = 'authentication.k8s.io';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';
/** From this many groups or extra values on, one question for all of them is asked first. */
const MANY = 4;

interface Mode {
  readonly authorizer: Authorizer;
  readonly verb: string;
  /** '' for the old way, otherwise the verb. */
  readonly constraint: string;
  /** The API group of users, groups and service accounts. */
  readonly group: string;
  /** How the authorizer sees a question. */
  seen(question: RequestAttributes): RequestAttributes;
}

function constrained(
  authorizer: Authorizer,
  name: string,
  applies: (wanted: UserInfo, requestor: UserInfo) => boolean,
  seen: (question: RequestAttributes) => RequestAttributes = (question) => question,
): ImpersonationMode {
  const verb = `impersonate:${name}`;
  const mode: Mode = { authorizer, verb, constraint: verb, group: IDENTITY_GROUP, seen };
  return async (wanted, request) => {
    if (!applies(wanted, request.user)) return undefined;
    const refusal = await check(mode, { ...request, verb: `impersonate-on:${name}:${request.verb}` });
    return refusal === undefined ? impersonate(mode, wanted, request.user) : { outcome: 'refused', status: refusal };
  };
}

async function impersonate(mode: Mode, wanted: UserInfo, requestor: UserInfo): Promise<ModeResult> {
  const refusal =
    (await checkName(mode, wanted, requestor)) ??
    (await checkUid(mode, wanted, requestor)) ??
    (await checkGroups(mode, wanted, requestor)) ??
    (await checkExtra(mode, wanted, requestor));
  if (refusal !== undefined) return { outcome: 'refused', status: refusal };
  return { outcome: 'ok', user: { ...wanted, groups: groupsOf(mode, wanted) }, constraint: mode.constraint };
}

function checkName(mode: Mode, wanted: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  const user = question(mode, requestor, mode.group, 'users', wanted.name);
  const node = mode.constraint === '' ? undefined : nodeName(wanted.name);
  if (node !== undefined) return check(mode, { ...user, resource: 'nodes', name: node });
  const account = splitServiceAccount(wanted.name);
  return check(mode, account === undefined ? user : { ...user, resource: 'serviceaccounts', ...account });
}

async function checkUid(mode: Mode, { uid }: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  return uid === '' ? undefined : check(mode, question(mode, requestor, IDENTITY_GROUP, 'uids', uid));
}

async function checkGroups(mode: Mode, { groups }: UserInfo, requestor: UserInfo): Promise<Status | undefined> {
  if (groups.length === 0) return undefined;
  const about = (name: string): RequestAttributes => question(mode, requestor, mode.group, 'groups', name);
  if (mode.constraint !== '') {
    if (groups.includes('')) return forbiddenStatus(about(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(MASTERS_GROUP))
      return forbiddenStatus(about(MASTERS_GROUP), `impersonating the ${MASTERS_GROUP} group is not allowed`);
    if (groups.length >= MANY && (await check(mode, about('*'))) === undefined) return undefined;
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
    ...question(mode, requestor, IDENTITY_GROUP, 'userextras', value),
    subresource: key,
  });
  if (mode.constraint !== '') {
    const problem = extraProblem(entries);
    if (problem !== undefined) return forbiddenStatus(about('', ''), problem);
    const count = entries.reduce((sum, [, values]) => sum + values.length, 0);
    if (Math.max(count, entries.length) >= MANY && (await check(mode, about('*', '*'))) === undefined) return undefined;
  }
  for (const [key, values] of entries) {
    for (const value of values) {
      const refusal = await check(mode, about(key, value));
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** What the constrained modes do not let through, whoever asks. */
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

/** Groups that go without saying: those of nodes and service accounts, and one of the two that everybody has. */
function groupsOf(mode: Mode, wanted: UserInfo): readonly string[] {
  let { groups } = wanted;
  if (mode.constraint !== '' && nodeName(wanted.name) !== undefined) groups = ['system:nodes'];
  else if (groups.length === 0) {
    const account = splitServiceAccount(wanted.name);
    if (account !== undefined) groups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  }
  const implied = wanted.name === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  return groups.includes(implied) || groups.includes(UNAUTHENTICATED_GROUP) ? groups : [...groups, implied];
}

function question(mode: Mode, user: UserInfo, apiGroup: string, resource: string, name: string): RequestAttributes {
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

/** Undefined if it is allowed. */
async function check(mode: Mode, question: RequestAttributes): Promise<Status | undefined> {
  const attributes = mode.seen(question);
  const { decision, reason, error } = await mode.authorizer.authorize(attributes);
  if (decision === 'allow') return undefined;
  return forbiddenStatus(attributes, error === '' || reason === '' ? error + reason : `${error}: ${reason}`);
}

/**
 * In this mode the questions are about all nodes, and the sender is shown with the names of its extra keys only: what
 * is allowed to one pod of a daemon set is allowed to all of them, each for its own node.
 */
function asAnyOfItsPods(question: RequestAttributes): RequestAttributes {
  const { user, verb } = question;
  const extra = { [ASSOCIATED_KEYS]: Object.keys(user.extra).sort(compareUtf8) };
  const name = verb === 'impersonate:associated-node' ? '*' : question.name;
  return { ...question, user: { ...user, extra }, name };
}

function isAssociatedNode(wanted: UserInfo, requestor: UserInfo): boolean {
  const node = nodeName(wanted.name);
  if (node === undefined || !isBare(wanted) || splitServiceAccount(requestor.name) === undefined) return false;
  const nodes = requestor.extra[NODE_NAME];
  return nodes?.length === 1 && nodes[0] === node;
}

/** Nothing but a name is wanted. */
function isBare({ uid, groups, extra }: UserInfo): boolean {
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
