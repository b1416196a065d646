/**
 * POST to a collection, or to a subresource that accepts creates. Mutating admission runs before the store is called,
 * validating admission inside the store.
 */

import { nameOf } from '../../apimachinery/meta/meta.ts';
import { isDryRun, readCreateOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson } from '../../base/json-value.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { AdmissionSubject } from './admission-record.ts';
import { WriteAdmission, writeOptionsObject } from './admit.ts';
import {
  AFTER_ADMISSION,
  dedupOwnerReferences,
  ensureNamespace,
  ownMetadata,
  wipeSystemFields,
} from './body-metadata.ts';
import { decodeObject, fieldValidationOf, inputType } from './decode/decode-object.ts';
import { parseObject } from './decode/parse-object.ts';
import { objectAnswer, statusValueAnswer } from './encode/answer.ts';
import {
  checkedOptions,
  collectionContext,
  type EndpointHost,
  namedContext,
  type RequestScope,
  readBody,
} from './endpoint.ts';
import { trackFields, writerOf } from './track-fields.ts';

export async function createObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): Promise<Answer> {
  const context = scope.subresource === '' ? collectionContext(scope, request) : namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const mediaType = inputType(host, scope, request);
  const body = readBody(host, request);
  const bytes = isPromise(body) ? await body : body;
  const options = checkedOptions(readCreateOptions(request.info.params), 'CreateOptions');
  const fieldValidation = fieldValidationOf(options.fieldValidation);
  const object = decodeObject(host, scope, request, { bytes, mediaType, fieldValidation });
  if (request.audit?.wantsRequestObject === true) request.audit.requestObject = cloneJson(object);

  const metadata = ownMetadata(object);
  if (scope.store.keepsSystemFields !== true) wipeSystemFields(metadata);
  ensureNamespace(metadata, context.namespace);
  dedupOwnerReferences(request, object, '');
  const writer = writerOf(host, request, options.fieldManager);
  const tracked = trackFields(host, scope, { object, current: undefined, writer });
  if (isPromise(tracked)) await tracked;

  const dryRun = isDryRun(options);
  const subject: AdmissionSubject = {
    operation: 'CREATE',
    name: context.name === '' ? nameOf(object) : context.name,
    dryRun,
    options: writeOptionsObject('CreateOptions', options),
  };
  const admission = new WriteAdmission(host, scope, request);
  const admitting = admission.admit(subject, object, undefined);
  const admitted = isPromise(admitting) ? await admitting : admitting;
  dedupOwnerReferences(request, admitted, AFTER_ADMISSION);
  if (scope.store.create === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'create'));
  const { bytes: stored, status } = await scope.store.create(context, admitted, {
    dryRun,
    validate: (final) => admission.validate(subject, final, undefined),
  });
  if (status !== undefined) return statusValueAnswer(host, request, form, status.code ?? 201, status);
  if (request.audit !== undefined) request.audit.objectName = nameOf(parseObject(stored));
  return objectAnswer(host, scope, request, form, 201, stored);
}
