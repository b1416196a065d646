/**
 * Authentication by a front proxy, which sends the user in headers.
 *
 * Invariant: the headers are used only on a connection whose certificate was verified against the `front-proxy`
 * authority and, if names are configured, has one of them as its common name.
 */
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { ConfigError } from '../../../base/errors.ts';
import { type Authenticator, NOT_RECOGNIZED } from '../../authenticator.ts';
import type { Incoming } from '../../http/exchange.ts';
import type { HiddenHeader } from '../hidden-headers.ts';
import { unescapeExtraKey } from './extra-key.ts';
import { headerText } from './header-text.ts';

/** The authority that verifies the certificates of front proxies. */
export const FRONT_PROXY_AUTHORITY = 'front-proxy';

export interface RequestHeaderNames {
  /** The first header with a value wins. */
  readonly username: readonly string[];
  readonly uid: readonly string[];
  /** All values of all these headers are used. */
  readonly group: readonly string[];
  /** The rest of the header's name is the key, percent-decoded. */
  readonly extraPrefix: readonly string[];
}

export interface RequestHeaderOptions extends RequestHeaderNames {
  /** Common names of front proxies. Empty: every certificate of the authority is accepted. */
  readonly allowedNames: readonly string[];
}

/** The reference's names. */
export const STANDARD_REQUEST_HEADERS: RequestHeaderNames = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
};

/** Throws ConfigError for an empty header name. */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const names = lowerNames(options);
  const allowed = new Set(options.allowedNames);
  return (incoming) => {
    const certificate = incoming.connection.certificate();
    if (certificate === undefined || !certificate.authorities.includes(FRONT_PROXY_AUTHORITY)) {
      const problem = incoming.connection.certificateProblem(FRONT_PROXY_AUTHORITY);
      return problem === undefined ? NOT_RECOGNIZED : { outcome: 'failed', message: problem };
    }
    const { commonName } = certificate;
    if (allowed.size > 0 && !allowed.has(commonName))
      return { outcome: 'failed', message: `x509: subject with cn=${commonName} is not in the allowed list` };
    const user = userOf(incoming, names);
    return user === undefined ? NOT_RECOGNIZED : { outcome: 'ok', user };
  };
}

/**
 * Reports the headers that later filters must not see, because any client could have sent them: the standard ones and
 * the configured ones.
 */
export function requestHeaderHider(options?: RequestHeaderNames): HiddenHeader {
  const names = options === undefined ? STANDARD_REQUEST_HEADERS : lowerNames(options);
  const whole = new Set<string>();
  const prefixes = new Set<string>();
  for (const { username, uid, group, extraPrefix } of [STANDARD_REQUEST_HEADERS, names]) {
    for (const name of [...username, ...uid, ...group]) whole.add(name);
    for (const prefix of extraPrefix) prefixes.add(prefix);
  }
  const prefixList = [...prefixes];
  return (name) => whole.has(name) || prefixList.some((prefix) => name.startsWith(prefix));
}

/** As `requestHeaderHider`, for names that may change while the server runs. */
export function proxyHeaderHider(options?: RequestHeaderNames | (() => RequestHeaderNames)): HiddenHeader {
  if (typeof options !== 'function') return requestHeaderHider(options);
  let names: RequestHeaderNames | undefined;
  let isHidden: HiddenHeader = requestHeaderHider();
  return (name) => {
    const current = options();
    if (current !== names) {
      names = current;
      isHidden = requestHeaderHider(current);
    }
    return isHidden(name);
  };
}

function userOf(incoming: Incoming, names: RequestHeaderNames): UserInfo | undefined {
  const name = firstValue(incoming, names.username);
  if (name === '') return undefined;
  const groups: string[] = [];
  for (const header of names.group) {
    for (const value of incoming.headerValues(header)) if (value !== '') groups.push(headerText(value));
  }
  return { name, uid: firstValue(incoming, names.uid), groups, extra: extraOf(incoming, names.extraPrefix) };
}

function firstValue(incoming: Incoming, headers: readonly string[]): string {
  for (const header of headers) {
    const value = incoming.headerValues(header)[0];
    if (value !== undefined && value !== '') return headerText(value);
  }
  return '';
}

function extraOf(incoming: Incoming, prefixes: readonly string[]): Record<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const header of incoming.headerNames()) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapeExtraKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...incoming.headerValues(header).map(headerText)]);
    }
  }
  return Object.fromEntries(extra);
}

function lowerNames(names: RequestHeaderNames): RequestHeaderNames {
  return {
    username: names.username.map(headerName),
    uid: names.uid.map(headerName),
    group: names.group.map(headerName),
    extraPrefix: names.extraPrefix.map(headerName),
  };
}

function headerName(text: string): string {
  const name = text.trim().toLowerCase();
  if (name === '') throw new ConfigError(`empty header ${JSON.stringify(text)}`);
  return name;
}
