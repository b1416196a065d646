/**
 * DELETE of a collection. The body or the query has the DeleteOptions; the query has the ListOptions that select the
 * objects. The answer lists the deleted objects.
 */

import { readListOptions } from '../../apimachinery/meta/list-options.ts';
import { isDryRun } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { AdmissionSubject } from './admission-record.ts';
import { admitWithoutObject, deleteOptionsObject } from './admit.ts';
import { checkSelectableFields } from './decode/decode-list-options.ts';
import { deleteOptionsOf } from './delete.ts';
import { listAnswer } from './encode/answer.ts';
import { checkedOptions, collectionContext, type EndpointHost, type RequestScope } from './endpoint.ts';

export async function deleteCollection(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
): Promise<Answer> {
  const form = scope.forms.of(request, false);
  const list = checkedOptions(readListOptions(request.info.params), 'ListOptions');
  checkSelectableFields(scope, list.fieldSelector);
  const options = await deleteOptionsOf(host, request);
  if (scope.store.deleteCollection === undefined)
    throw new StatusError(methodNotAllowed(scope.groupResource, 'deletecollection'));
  const subject: AdmissionSubject = {
    operation: 'DELETE',
    name: '',
    dryRun: isDryRun(options),
    options: deleteOptionsObject(options),
  };
  const page = await scope.store.deleteCollection(collectionContext(scope, request), {
    list,
    options,
    validate: (oldObject) => admitWithoutObject({ host, scope, request }, subject, oldObject),
  });
  return listAnswer(host, scope, request, form, page);
}
