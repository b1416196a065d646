/**
 * CONNECT: requests that the store of a subresource answers itself, for the HTTP methods that it accepts. Admission
 * and, if the store requires it, the check of the permission to create run before the store is called.
 */

import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { admitWithoutObject } from './admit.ts';
import { authorizeConnect } from './authorize-create.ts';
import { type EndpointHost, namedContext, type RequestScope } from './endpoint.ts';

export function connectObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<Answer> {
  if (request.info.params.has('dryRun')) throw new StatusError(badRequest('dryRun is not supported'));
  const context = namedContext(scope, request);
  const { store } = scope;
  if (store.connect === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'connect'));
  const connect = store.connect.bind(store);
  const subject = { operation: 'CONNECT', name: context.name, dryRun: false, options: {} } as const;
  const open = (): MaybePromise<Answer> =>
    connect(context, { path: subpathOf(request), params: request.info.params, incoming: request.incoming });
  return andThen(admitWithoutObject({ host, scope, request }, subject, undefined), () =>
    store.connectOptions?.requiresCreate === true ? andThen(authorizeConnect(host, scope, request), open) : open(),
  );
}

/** Returns the path behind the subresource, with a trailing slash if the request has one. */
function subpathOf(request: ServerRequest): string {
  const { parts, path } = request.info;
  const rest = parts.slice(3).join('/');
  return rest !== '' && path.endsWith('/') ? `${rest}/` : rest;
}
