/**
 * The `Impersonate-*` headers: the user that a request asks to act as. A request with such headers but without a user
 * name is malformed.
 */
import { quote } from '../../../apimachinery/go-format.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { Incoming } from '../../http/exchange.ts';
import { unescapeExtraKey } from '../authentication/extra-key.ts';
import { headerText } from '../authentication/header-text.ts';

const USER = 'impersonate-user';
const UID = 'impersonate-uid';
const GROUP = 'impersonate-group';
const EXTRA_PREFIX = 'impersonate-extra-';

export type RequestedUser =
  | { readonly kind: 'user'; readonly user: UserInfo }
  | { readonly kind: 'malformed'; readonly message: string };

/** Reports whether the header is one of those that this file reads. */
export function isImpersonationHeader(name: string): boolean {
  return name === USER || name === UID || name === GROUP || name.startsWith(EXTRA_PREFIX);
}

/** Returns undefined for a request without these headers. */
export function readImpersonation(incoming: Incoming): RequestedUser | undefined {
  // Most names fail at the comparison of their first letter.
  const names = incoming.headerNames();
  let asked = false;
  for (const name of names) if (name.charCodeAt(0) === 0x69 && isImpersonationHeader(name)) asked = true;
  return asked ? readRequestedUser(incoming, names) : undefined;
}

function readRequestedUser(incoming: Incoming, names: readonly string[]): RequestedUser | undefined {
  const name = headerText(incoming.headerValues(USER)[0] ?? '');
  const uid = headerText(incoming.headerValues(UID)[0] ?? '');
  const groups = incoming.headerValues(GROUP).map(headerText);
  const extra = new Map<string, readonly string[]>();
  for (const header of names) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = unescapeExtraKey(header.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...incoming.headerValues(header).map(headerText)]);
  }
  if (name !== '') return { kind: 'user', user: { name, uid, groups, extra: Object.fromEntries(extra) } };
  if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
  const wanted = `Name:"", UID:${quote(uid)}, Groups:${goStrings(groups)}, Extra:${goExtra(extra)}`;
  return {
    kind: 'malformed',
    message: `requested &user.DefaultInfo{${wanted}} without impersonating a user name`,
  };
}

/** The `%#v` form of Go, which the reference's message contains. */
function goStrings(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`;
}

function goExtra(extra: ReadonlyMap<string, readonly string[]>): string {
  if (extra.size === 0) return 'map[string][]string(nil)';
  const keys = [...extra.keys()].sort(compareUtf8);
  return `map[string][]string{${keys.map((key) => `${quote(key)}:${goStrings(extra.get(key) ?? [])}`).join(', ')}}`;
}
