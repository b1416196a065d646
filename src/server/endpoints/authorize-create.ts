/** The permission to create, which an update needs if it creates the object. */

import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError } from '../../apimachinery/status/status-catalogue.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { attributesOf, forbiddenStatus } from '../filters/authorization.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { EndpointHost } from './endpoint.ts';

/** Called when the object does not exist. Throws the 403 if the user may not create it. */
export function authorizeCreate(host: EndpointHost, request: ServerRequest): MaybePromise<void> {
  if (host.authorizer === undefined) return;
  const attributes = { ...attributesOf(request.user, request.info), verb: 'create' };
  return andThen(host.authorizer.authorize(attributes), ({ decision, reason, error }) => {
    if (decision === 'allow') return;
    throw new StatusError(error !== '' ? internalError(error) : forbiddenStatus(attributes, reason));
  });
}
