/** The headers in which the front proxy names the user of a request. Their names are fixed, as in kube-aggregator. */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { escapeExtraKey } from '../../server/filters/authentication/extra-key.ts';
import { headerBytes } from '../../server/filters/authentication/header-text.ts';

/** The headers of a request that is being built. Names are in lower case. */
export type MutableHeaders = Record<string, string | readonly string[]>;

const WHOLE: ReadonlySet<string> = new Set(['x-remote-user', 'x-remote-uid', 'x-remote-group']);
const EXTRA = 'x-remote-extra-';

/**
 * Whether a server behind the proxy could mistake a client header for one of these headers. `name` is in lower case.
 * Some servers read `_` as `-` (RFC 3875, 4.1.18).
 */
export function isUserHeader(name: string): boolean {
  // Most header names fail this check of their first two characters.
  const second = name.charCodeAt(1);
  if (name.charCodeAt(0) !== X || (second !== DASH && second !== UNDERSCORE)) return false;
  const dashed = name.includes('_') ? name.replaceAll('_', '-') : name;
  return WHOLE.has(dashed) || dashed.startsWith(EXTRA);
}

const X = 0x78;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;

/** Adds the headers of the user. An empty uid is left out. */
export function setUserHeaders(headers: MutableHeaders, user: UserInfo): void {
  headers['x-remote-user'] = headerBytes(user.name);
  if (user.uid !== '') headers['x-remote-uid'] = headerBytes(user.uid);
  if (user.groups.length > 0) headers['x-remote-group'] = user.groups.map(headerBytes);
  for (const key of Object.keys(user.extra)) {
    const values = user.extra[key] as readonly string[];
    const name = `${EXTRA}${escapeExtraKey(key).toLowerCase()}`;
    if (values.length > 0) headers[name] = values.map(headerBytes);
  }
}
