/**
 * Answers in plain text, where the reference sends no Status.
 *
 * Invariant: text that a client sent is escaped, so that a browser never takes it for markup.
 */
import { quote } from '../../apimachinery/go-format.ts';
import type { Status } from '../../apimachinery/status/status.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Answer, AnswerHeaders } from './exchange.ts';
import type { RequestInfoProblem } from './request-info.ts';
import { statusAnswer } from './respond.ts';
import type { ServerRequest } from './server-request.ts';

const PLAIN: AnswerHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

export function plainAnswer(status: number, text: string, headers: AnswerHeaders = {}): Answer {
  return { kind: 'bytes', status, headers: { ...PLAIN, ...headers }, body: encodeUtf8(`${text}\n`) };
}

/** Escapes the characters that HTML gives a meaning. */
export function escapeMarkup(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;
}

/** Answers 500 without a Status. `target` is the path and query as sent on the request line. */
export function plainInternalError(target: string, because: string): Answer {
  return plainAnswer(500, escapeMarkup(`Internal Server Error: ${quote(target)}: ${because}`));
}

/** Answers a target that cannot be parsed, as the reference does: 400, or 500 for an incomplete path. */
export function problemAnswer(target: string, problem: RequestInfoProblem): Answer {
  if (problem.problem === 'incomplete')
    return plainInternalError(target, `failed to create RequestInfo: ${problem.message}`);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { kind: 'bytes', status: 400, headers, body: encodeUtf8('400 Bad Request') };
}

/**
 * Answers with a Status and the header `nosniff`, as the reference does for refusals. Also records the Status in the
 * audit event.
 */
export function statusAnswerUnsniffed(request: ServerRequest, status: Status): Answer {
  if (request.audit !== undefined) request.audit.responseObject = status as unknown as JsonObject;
  const answer = statusAnswer(request, status);
  return answer.kind === 'bytes'
    ? { ...answer, headers: { ...answer.headers, 'x-content-type-options': 'nosniff' } }
    : answer;
}
