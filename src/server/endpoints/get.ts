/** GET of one object, or of a subresource. Synchronous if the store is. Plain JSON is not parsed. */

import { boolParam } from '../../apimachinery/meta/options-decode.ts';
import { readGetOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { objectAnswer } from './encode/answer.ts';
import { type EndpointHost, namedContext, type RequestScope, readContext } from './endpoint.ts';

export function getObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<Answer> {
  const context = namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const { params } = request.info;
  if (params.size > 0 && boolParam(params, 'export') === true)
    throw new StatusError(badRequest('the export parameter, deprecated since v1.14, is no longer supported'));
  if (scope.store.get === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'get'));
  const bytes = scope.store.get(readContext(context, form), readGetOptions(params));
  if (!isPromise(bytes)) return objectAnswer(host, scope, request, form, 200, bytes);
  return bytes.then((ready) => objectAnswer(host, scope, request, form, 200, ready));
}
