/**
 * The random tokens that authenticate requests from inside the process: as `system:apiserver`, or as another user.
 * Invariant: these tokens are never written to a file or a log.
 */
import type { HttpHeaders, Transport } from '../../../apimachinery/http/transport.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { formatHex } from '../../../base/bytes.ts';
import { randomBytes } from '../../../base/random.ts';
import { type AuthenticationResult, NOT_RECOGNIZED, type TokenAuthenticator } from '../../authenticator.ts';
import type { Handler } from '../../http/exchange.ts';
import { inProcess } from '../../http/in-process.ts';
import { SERVER_USER } from '../../own/own-context.ts';

export class Loopback {
  /** By token. */
  readonly #users = new Map<string, AuthenticationResult>();

  readonly authenticate: TokenAuthenticator = (token) => this.#users.get(token) ?? NOT_RECOGNIZED;

  /** Authenticates requests without an `authorization` header as the user. Default: the server itself. */
  transport(handler: Handler, user: UserInfo = SERVER_USER, headers: HttpHeaders = {}): Transport {
    const token = formatHex(randomBytes(32));
    this.#users.set(token, { outcome: 'ok', user });
    const send = inProcess(handler);
    const own = { authorization: `Bearer ${token}`, ...headers };
    return (request) => send({ ...request, headers: { ...own, ...request.headers } });
  }
}
