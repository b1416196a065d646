/**
 * PUT of one object, or of a subresource. Each attempt of the store gets a fresh copy of the body, because admission
 * changes it.
 */

import { cloneObject } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { uidOf } from '../../apimachinery/meta/meta.ts';
import { isDryRun, readUpdateOptions, type WriteOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { UpdateRequest } from '../resource/resource-store.ts';
import type { AdmissionSubject } from './admission-record.ts';
import { WriteAdmission, writeOptionsObject } from './admit.ts';
import { authorizeCreate } from './authorize-create.ts';
import { AFTER_ADMISSION, checkName, dedupOwnerReferences, ensureNamespace, ownMetadata } from './body-metadata.ts';
import { decodeObject, fieldValidationOf, inputType } from './decode/decode-object.ts';
import { objectAnswer } from './encode/answer.ts';
import { checkedOptions, type EndpointHost, namedContext, type RequestScope, readBody } from './endpoint.ts';
import { trackFields, writerOf } from './track-fields.ts';

export async function updateObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): Promise<Answer> {
  const context = namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const bytes = await readBody(host, request);
  const options = checkedOptions(readUpdateOptions(request.info.params), 'UpdateOptions');
  const mediaType = inputType(host, scope, request);
  const fieldValidation = fieldValidationOf(options.fieldValidation);
  const object = decodeObject(host, scope, request, { bytes, mediaType, fieldValidation });
  if (request.audit?.wantsRequestObject === true) request.audit.requestObject = object;
  ensureNamespace(ownMetadata(object), context.namespace);
  checkName(object, context.name);
  dedupOwnerReferences(request, object, '');
  const uid = uidOf(object);

  if (scope.store.update === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'update'));
  const admission = new WriteAdmission(host, scope, request);
  const mutate = mutation(admission, options);
  const writer = writerOf(host, request, options.fieldManager);
  const answer = await scope.store.update(
    context,
    {
      apply: (current) =>
        andThen(trackFields(host, scope, { object: cloneObject(object), current, writer }), (tracked) =>
          mutate(tracked, current),
        ),
      preconditions: uid === '' ? undefined : { uid, resourceVersion: undefined },
    },
    updateRequest(admission, options),
  );
  return objectAnswer(host, scope, request, form, answer.created ? 201 : 200, answer.bytes);
}

function subjectOf(operation: 'CREATE' | 'UPDATE', request: ServerRequest, options: WriteOptions): AdmissionSubject {
  return {
    operation,
    name: request.info.parts[1] ?? '',
    dryRun: isDryRun(options),
    options: writeOptionsObject(operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions', options),
  };
}

/** Returns the mutating admission of an update, or of the create that it becomes. */
export function mutation(
  admission: WriteAdmission,
  options: WriteOptions,
): (object: JsonObject, current: JsonObject | undefined) => MaybePromise<JsonObject> {
  const { request } = admission;
  return (object, current) => {
    const subject = subjectOf(current === undefined ? 'CREATE' : 'UPDATE', request, options);
    return andThen(admission.admit(subject, object, current), (admitted) => {
      dedupOwnerReferences(request, admitted, AFTER_ADMISSION);
      return admitted;
    });
  };
}

/** Returns the UpdateRequest of a PUT or PATCH. `isApply`: of server-side apply, which may create the object. */
export function updateRequest(admission: WriteAdmission, options: WriteOptions, isApply = false): UpdateRequest {
  const { host, request } = admission;
  const subject = subjectOf('UPDATE', request, options);
  let permitted = false;
  return {
    dryRun: subject.dryRun,
    forceAllowCreate: isApply,
    keepManagedFields: isApply,
    validateCreate: (object) => {
      const creating = subjectOf('CREATE', request, options);
      if (permitted) return admission.validate(creating, object, undefined);
      return andThen(authorizeCreate(host, request), () => {
        permitted = true;
        return admission.validate(creating, object, undefined);
      });
    },
    validateUpdate: (object, old) => admission.validate(subject, object, old),
  };
}
