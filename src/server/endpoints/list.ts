/** GET of a collection. Synchronous if the store is. Items are passed by reference. */

import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { listOptionsOf } from './decode/decode-list-options.ts';
import { listAnswer } from './encode/answer.ts';
import { collectionContext, type EndpointHost, type RequestScope, readContext } from './endpoint.ts';

export function listObjects(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<Answer> {
  const form = scope.forms.of(request, true);
  const options = listOptionsOf(scope, request);
  if (scope.store.list === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'list'));
  const page = scope.store.list(readContext(collectionContext(scope, request), form), options);
  if (!isPromise(page)) return listAnswer(host, scope, request, form, page);
  return page.then((ready) => listAnswer(host, scope, request, form, ready));
}
