/**
 * DELETE of one object. The answer is the last state of the object or a Status if it is deleted, and its current state
 * if finalizers or a grace period keep it.
 */

import { decodeCbor } from '../../apimachinery/codec/cbor/cbor-decode.ts';
import { negotiateContentType, PROTOBUF_MEDIA_TYPE } from '../../apimachinery/codec/negotiation.ts';
import { readYaml } from '../../apimachinery/codec/yaml/yaml.ts';
import { META_TYPE_VIEWS } from '../../apimachinery/facts/meta-type-views.ts';
import { type DeleteOptions, readDeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { isDryRun } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import {
  badRequest,
  methodNotAllowed,
  success,
  unsupportedMediaType,
} from '../../apimachinery/status/status-catalogue.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { META_TYPES } from '../resource/meta-types.ts';
import type { AdmissionSubject } from './admission-record.ts';
import { admitWithoutObject, deleteOptionsObject } from './admit.ts';
import { readProtobufMessage } from './decode/read-protobuf.ts';
import { objectAnswer, statusValueAnswer } from './encode/answer.ts';
import { checkedOptions, type EndpointHost, namedContext, type RequestScope, readBody } from './endpoint.ts';

export async function deleteObject(host: EndpointHost, scope: RequestScope, request: ServerRequest): Promise<Answer> {
  const context = namedContext(scope, request);
  const form = scope.forms.of(request, false);
  const options = await deleteOptionsOf(host, request);
  if (scope.store.delete === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'delete'));
  const subject: AdmissionSubject = {
    operation: 'DELETE',
    name: context.name,
    dryRun: isDryRun(options),
    options: deleteOptionsObject(options),
  };
  const answer = await scope.store.delete(context, {
    options,
    validate: (oldObject, completed = options) =>
      admitWithoutObject(
        { host, scope, request },
        completed === options ? subject : { ...subject, options: deleteOptionsObject(completed) },
        oldObject,
      ),
  });
  // The codes differ only for the deprecated `orphanDependents: false`, as in the reference.
  const code = answer.outcome === 'pending' && options.orphanDependents === false ? 202 : 200;
  if (answer.bytes !== undefined) return objectAnswer(host, scope, request, form, code, answer.bytes);
  const status = success(scope.groupResource, context.name, answer.outcome === 'deleted' ? answer.uid : '');
  if (request.audit?.wantsResponseObject === true) request.audit.responseObject = status as unknown as JsonObject;
  return statusValueAnswer(host, request, form, code, status);
}

/** Reads DeleteOptions from the body, or from the query if the body is empty. Throws the 400, 413, 415 or 422. */
export async function deleteOptionsOf(host: EndpointHost, request: ServerRequest): Promise<DeleteOptions> {
  const bytes = await readBody(host, request);
  const body = bytes.length === 0 ? undefined : decodeOptions(host, request, bytes);
  const options = checkedOptions(readDeleteOptions(request.info.params, body), 'DeleteOptions');
  if (request.audit?.wantsRequestObject === true && isJsonObject(body)) request.audit.requestObject = body;
  return options;
}

function decodeOptions(host: EndpointHost, request: ServerRequest, bytes: Uint8Array): JsonValue {
  const negotiated = negotiateContentType(request.incoming.header('content-type'), host.inputTypes);
  if (!negotiated.ok) throw new StatusError(unsupportedMediaType(host.inputTypes.map((type) => type.mediaType)));
  switch (negotiated.type.mediaType) {
    case PROTOBUF_MEDIA_TYPE.mediaType: {
      const read = readProtobufMessage(bytes, META_TYPE_VIEWS.view(`${META_TYPES}DeleteOptions`));
      if (read.ok) return read.value;
      throw new StatusError(badRequest(read.message));
    }
    case 'application/yaml': {
      const read = readYaml(bytes);
      if (read.ok) return read.value;
      throw new StatusError(badRequest(read.error.message));
    }
    case 'application/cbor': {
      const read = decodeCbor(bytes);
      if (read.ok) return read.value;
      throw new StatusError(badRequest(read.error.message));
    }
    default: {
      const read = readJson(bytes);
      if (read.ok) return read.value;
      throw new StatusError(badRequest(`couldn't get version/kind; json parse error: ${read.error.message}`));
    }
  }
}
