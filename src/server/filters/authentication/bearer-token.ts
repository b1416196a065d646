/**
 * Bearer tokens in the Authorization header, or in a WebSocket subprotocol, because browsers cannot set headers there.
 *
 * Invariants: a token that no authenticator recognizes is a wrong credential, so its sender is never anonymous.
 * Messages contain no part of a token.
 */
import { decodeBase64 } from '../../../base/base64.ts';
import { decodeUtf8Strict } from '../../../base/bytes.ts';
import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import {
  type AuthenticationResult,
  type Authenticator,
  NOT_RECOGNIZED,
  type TokenAuthenticator,
} from '../../authenticator.ts';
import type { Incoming } from '../../http/exchange.ts';
import { headerText } from './header-text.ts';

const PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';
const NO_AUDIENCES: readonly string[] = [];
const INVALID_TOKEN: AuthenticationResult = failed('invalid bearer token');
const BASE64_URL = /^[A-Za-z0-9_-]*$/;

/** The warning for `Bearer  token`: with two spaces the token is empty. */
export const SPACED_TOKEN_WARNING =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/**
 * Reads `Authorization: Bearer <token>`. The scheme is case-insensitive. Text after a space behind the token is
 * ignored.
 */
export function bearerTokenAuthenticator(authenticate: TokenAuthenticator): Authenticator {
  return (incoming) => {
    const header = incoming.header('authorization');
    const token = header === undefined ? '' : bearerToken(headerText(header));
    return token === '' ? NOT_RECOGNIZED : decided(authenticate(token, NO_AUDIENCES));
  };
}

/**
 * Reads the subprotocol `base64url.bearer.authorization.k8s.io.<token>`. The client must offer another subprotocol too,
 * because the server has to answer with that one.
 */
export function webSocketTokenAuthenticator(authenticate: TokenAuthenticator): Authenticator {
  return (incoming) => {
    if (!isWebSocketRequest(incoming)) return NOT_RECOGNIZED;
    let encoded: string | undefined;
    let others = 0;
    for (const protocol of (incoming.header('sec-websocket-protocol') ?? '').split(',')) {
      const text = protocol.trim();
      if (!text.startsWith(PROTOCOL_PREFIX)) others++;
      else if (encoded !== undefined) return failed('multiple base64.bearer.authorization tokens specified');
      else encoded = text.slice(PROTOCOL_PREFIX.length);
    }
    if (encoded === undefined) return NOT_RECOGNIZED;
    const bytes = decodeBase64Url(encoded);
    if (bytes === undefined) return failed('invalid base64.bearer.authorization token encoding');
    const token = decodeUtf8Strict(bytes);
    if (token === undefined) return failed('invalid base64.bearer.authorization token');
    if (token === '') return NOT_RECOGNIZED;
    return others === 0 ? failed('missing additional subprotocol') : decided(authenticate(token, NO_AUDIENCES));
  };
}

/** Reports whether the header would have a token if it had one space less. */
export function hasSpacedToken(header: string): boolean {
  return /^\s*bearer {2}/i.test(header) && header.trim().split(' ').length > 2;
}

/** Returns '' for a header without a token. */
function bearerToken(header: string): string {
  const text = header.trim();
  const space = text.indexOf(' ');
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return '';
  const end = text.indexOf(' ', space + 1);
  return end < 0 ? text.slice(space + 1) : text.slice(space + 1, end);
}

function decided(result: MaybePromise<AuthenticationResult>): MaybePromise<AuthenticationResult> {
  return isPromise(result) ? result.then(orInvalid) : orInvalid(result);
}

function orInvalid(result: AuthenticationResult): AuthenticationResult {
  return result.outcome === 'none' ? INVALID_TOKEN : result;
}

function isWebSocketRequest(incoming: Incoming): boolean {
  if (incoming.header('upgrade')?.toLowerCase() !== 'websocket') return false;
  return (incoming.header('connection') ?? '').toLowerCase().includes('upgrade');
}

function decodeBase64Url(text: string): Uint8Array | undefined {
  if (!BASE64_URL.test(text)) return undefined;
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4));
}

function failed(message: string): AuthenticationResult {
  return { outcome: 'failed', message };
}
