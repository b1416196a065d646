/**
 * PATCH of one object, or of a subresource. Each attempt of the store applies the patch to the state that is stored
 * then. A patch does not create objects.
 */

import { strictWarnings } from '../../apimachinery/codec/strict.ts';
import { readPatchOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed, notFound } from '../../apimachinery/status/status-catalogue.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { WriteAdmission } from './admit.ts';
import { checkName, ensureNamespace, ownMetadata } from './body-metadata.ts';
import { fieldValidationOf, kindProblem } from './decode/decode-object.ts';
import { patchTypeOf } from './decode/patch-types.ts';
import { Patch } from './decode/patched-object.ts';
import { objectAnswer } from './encode/answer.ts';
import { checkedOptions, type EndpointHost, namedContext, type RequestScope, readBody } from './endpoint.ts';
import { mutation, updateRequest } from './update.ts';

export async function patchObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): Promise<Answer> {
  const type = patchTypeOf(request, scope.bodyVersion, scope.version.unstructured !== true);
  const context = namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const bytes = await readBody(host, request);
  const options = checkedOptions(readPatchOptions(request.info.params, false), 'PatchOptions');
  if (request.audit?.wantsRequestObject === true) request.audit.requestObject = patchForAudit(bytes);
  if (scope.store.update === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'patch'));

  const fieldValidation = fieldValidationOf(options.fieldValidation);
  const patch = new Patch(
    { type, bytes, fieldValidation },
    {
      version: scope.bodyVersion,
      kindProblem: (value) => kindProblem(host, scope, value),
      warn: (problems) => {
        for (const warning of strictWarnings(problems)) request.warn(warning);
      },
    },
  );
  const admission = new WriteAdmission(host, scope, request);
  const mutate = mutation(admission, options);
  const answer = await scope.store.update(
    context,
    {
      apply: (current) => {
        if (current === undefined) throw new StatusError(notFound(scope.groupResource, context.name));
        const patched = patch.applyTo(current);
        ensureNamespace(ownMetadata(patched), context.namespace);
        checkName(patched, context.name);
        return mutate(patched, current);
      },
      preconditions: undefined,
    },
    updateRequest(admission, options),
  );
  return objectAnswer(host, scope, request, form, answer.created ? 201 : 200, answer.bytes);
}

/** Returns a patch that is a JSON object. The audit event cannot contain a list. */
function patchForAudit(bytes: Uint8Array): JsonObject | undefined {
  const read = readJson(bytes);
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}
