/**
 * CONNECT: requests that the store of a subresource answers itself, for the HTTP methods that it accepts. Admission
 * and, if the store requires it, the check of the permission to create run before the store is called.
 */

import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { AdmissionSubject, AdmissionTarget } from './admission-record.ts';
import { admitWithoutObject } from './admit.ts';
import { authorizeConnect } from './authorize-create.ts';
import { connectOptionsObject } from './connect-options.ts';
import { type EndpointHost, namedContext, type RequestScope } from './endpoint.ts';

export function connectObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<Answer> {
  if (request.info.params.has('dryRun')) throw new StatusError(badRequest('dryRun is not supported'));
  const context = namedContext(scope, request);
  const { store } = scope;
  if (store.connect === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'connect'));
  const connect = store.connect.bind(store);
  const open = (): MaybePromise<Answer> =>
    connect(context, { path: subpathOf(request), params: request.info.params, incoming: request.incoming });
  return andThen(admitConnect({ host, scope, request }, context.name), () =>
    store.connectOptions?.requiresCreate === true ? andThen(authorizeConnect(host, scope, request), open) : open(),
  );
}

/** Runs admission for a connection. A read, such as that of a log, skips admission, as in kube-apiserver. */
function admitConnect(target: AdmissionTarget, name: string): MaybePromise<void> {
  const { scope, request, host } = target;
  if (scope.store.connectOptions?.isRead === true || !host.admission.handles('CONNECT')) return undefined;
  const connectOptions = optionsOf(scope, request);
  const subject: AdmissionSubject = { operation: 'CONNECT', name, dryRun: false, options: {}, connectOptions };
  return admitWithoutObject(target, subject, undefined);
}

/** Returns the options of the connection; undefined for a subresource whose connections have no options type. */
function optionsOf(scope: RequestScope, request: ServerRequest): JsonObject | undefined {
  if (scope.versions.includes(scope.bodyVersion)) return undefined;
  return connectOptionsObject(scope.bodyVersion, request.info.params, subpathOf(request));
}

/** Returns the path behind the subresource, with a trailing slash if the request has one. */
function subpathOf(request: ServerRequest): string {
  const { parts, path } = request.info;
  const rest = parts.slice(3).join('/');
  return rest !== '' && path.endsWith('/') ? `${rest}/` : rest;
}
