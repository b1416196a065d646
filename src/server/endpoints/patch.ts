/**
 * PATCH of one object, or of a subresource. Each attempt of the store applies the patch to the state that is stored
 * then. Server-side apply creates the object if there is none; other patches do not.
 */

import { strictWarnings } from '../../apimachinery/codec/strict.ts';
import { uidOf } from '../../apimachinery/meta/meta.ts';
import { type PatchOptions, readPatchOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { conflict, methodNotAllowed, notFound } from '../../apimachinery/status/status-catalogue.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { WriteAdmission } from './admit.ts';
import { checkName, ensureNamespace, ownMetadata } from './body-metadata.ts';
import { ApplyConfiguration } from './decode/apply-configuration.ts';
import { fieldValidationOf, kindProblem } from './decode/decode-object.ts';
import { type ApplyPatchType, type PlainPatchType, patchTypeOf } from './decode/patch-types.ts';
import { Patch } from './decode/patched-object.ts';
import { objectAnswer } from './encode/answer.ts';
import { checkedOptions, type EndpointHost, namedContext, type RequestScope, readBody } from './endpoint.ts';
import { trackFields, writerOf } from './track-fields.ts';
import { mutation, updateRequest } from './update.ts';

export async function patchObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): Promise<Answer> {
  const type = patchTypeOf(request, {
    version: scope.bodyVersion,
    isRouted: scope.version.unstructured !== true,
    hasCbor: host.textTypes.some(({ mediaType }) => mediaType === 'application/cbor'),
  });
  const context = namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const bytes = await readBody(host, request);
  const isApply = type === 'apply-yaml' || type === 'apply-cbor';
  const options = checkedOptions(readPatchOptions(request.info.params, isApply), 'PatchOptions');
  if (request.audit?.wantsRequestObject === true) request.audit.requestObject = patchForAudit(bytes);
  if (scope.store.update === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'patch'));

  const patched = isApply
    ? applying({ host, scope, request, options }, type, bytes)
    : patching({ host, scope, request, options }, type, bytes);
  const admission = new WriteAdmission(host, scope, request);
  const mutate = mutation(admission, options);
  const answer = await scope.store.update(
    context,
    {
      apply: (current) =>
        andThen(patched(current), (object) => {
          ensureNamespace(ownMetadata(object), context.namespace);
          checkName(object, context.name);
          return mutate(object, current);
        }),
      preconditions: undefined,
    },
    updateRequest(admission, options, isApply),
  );
  return objectAnswer(host, scope, request, form, answer.created ? 201 : 200, answer.bytes);
}

interface PatchRequest {
  readonly host: EndpointHost;
  readonly scope: RequestScope;
  readonly request: ServerRequest;
  readonly options: PatchOptions;
}

/** Returns the object after the patch, with its managedFields. Called once per attempt. */
type Patched = (current: JsonObject | undefined) => MaybePromise<JsonObject>;

function patching({ host, scope, request, options }: PatchRequest, type: PlainPatchType, bytes: Uint8Array): Patched {
  const patch = new Patch(
    { type, bytes, fieldValidation: fieldValidationOf(options.fieldValidation) },
    {
      version: scope.bodyVersion,
      kindProblem: (value) => kindProblem(host, scope, value),
      warn: (problems) => {
        for (const warning of strictWarnings(problems)) request.warn(warning);
      },
    },
  );
  const writer = writerOf(host, request, options.fieldManager);
  return (current) => {
    if (current === undefined) throw new StatusError(notFound(scope.groupResource, request.info.parts[1] ?? ''));
    return trackFields(host, scope, { object: patch.applyTo(current), current, writer });
  };
}

function applying({ host, scope, request, options }: PatchRequest, type: ApplyPatchType, bytes: Uint8Array): Patched {
  const configuration = new ApplyConfiguration(
    { type, bytes, fieldValidation: fieldValidationOf(options.fieldValidation) },
    { version: scope.bodyVersion, fieldManager: scope.fieldManager, warn: (text) => request.warn(text) },
  );
  if (request.audit?.wantsRequestObject === true) request.audit.requestObject = configuration.value;
  const applier = { ...writerOf(host, request, options.fieldManager), force: options.force === true };
  return (current) =>
    andThen(configuration.applyTo(current, applier), (object) => {
      const uid = uidOf(object);
      if (current !== undefined || uid === '') return object;
      const because = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw new StatusError(conflict(scope.groupResource, request.info.parts[1] ?? '', because));
    });
}

/**
 * Returns the patch for the audit event; undefined unless it is a JSON object, because the event cannot contain a list.
 */
function patchForAudit(bytes: Uint8Array): JsonObject | undefined {
  const read = readJson(bytes);
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}
