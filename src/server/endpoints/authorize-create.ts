/**
 * The checks of the permission to create. An update needs it if it creates the object; a connection needs it if the
 * store sets `requiresCreate`.
 */

import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden, internalError, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { attributesOf, forbiddenStatus } from '../filters/authorization.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { EndpointHost, RequestScope } from './endpoint.ts';

/**
 * Called when the object of an update does not exist. Throws the 403 if the user may not create it, and the 500 if the
 * authorizer failed.
 */
export function authorizeCreate(host: EndpointHost, request: ServerRequest): MaybePromise<void> {
  if (host.authorizer === undefined) return;
  const attributes = { ...attributesOf(request.user, request.info), verb: 'create' };
  return andThen(host.authorizer.authorize(attributes), ({ decision, reason, error }) => {
    if (decision === 'allow') return;
    throw new StatusError(error !== '' ? internalError(error) : forbiddenStatus(attributes, reason));
  });
}

/**
 * Called after admission and before the store. Throws the 403 if the user may not create the subresource, and the 500
 * if the authorizer failed. A request whose own verb is `create` was authorized by the filter. As in the reference, the
 * message has only the authorizer's reason, which is often empty.
 */
export function authorizeConnect(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<void> {
  if (host.authorizer === undefined || request.info.verb === 'create') return;
  const attributes = { ...attributesOf(request.user, request.info), verb: 'create' };
  return andThen(host.authorizer.authorize(attributes), ({ decision, reason, error }) => {
    if (error !== '' && decision !== 'allow') throw new StatusError(unknown(error));
    if (decision !== 'allow') throw new StatusError(forbidden(scope.groupResource, request.info.name, reason));
  });
}
