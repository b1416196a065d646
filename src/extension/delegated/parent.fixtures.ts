/** A parent API server for tests: answers are functions, and every request is recorded. */
import type { Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';

export interface FakeParent {
  readonly transport: Transport;
  readonly requests: { readonly method: string; readonly target: string; readonly body: JsonObject | undefined }[];
}

export type ParentAnswer = (body: JsonObject, request: TransportRequest) => unknown | Promise<unknown>;

/**
 * The keys of `answers` are `POST /apis/...` without the query. An answer with a `code` is a failure with that status.
 */
export function fakeParent(answers: Readonly<Record<string, ParentAnswer>>): FakeParent {
  const requests: FakeParent['requests'] = [];
  return {
    requests,
    transport: async (request) => {
      const text = request.body === undefined ? undefined : new TextDecoder().decode(request.body);
      const body = text === undefined ? undefined : (JSON.parse(text) as JsonObject);
      requests.push({ method: request.method, target: request.target, body });
      const answer = answers[`${request.method} ${request.target.split('?')[0]}`];
      return answer === undefined ? NOT_FOUND : toResponse(await answer(body ?? {}, request));
    },
  };
}

/** The body of a Status that refuses with a code and a reason. */
export function refusal(code: number, reason: string, message: string = reason): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

const NOT_FOUND = toResponse(refusal(404, 'NotFound'));

function toResponse(value: unknown): TransportResponse {
  const code = (value as { readonly code?: unknown }).code;
  return {
    status: typeof code === 'number' ? code : 200,
    headers: { 'content-type': 'application/json' },
    body: encodeUtf8(JSON.stringify(value)),
  };
}
