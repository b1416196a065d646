/**
 * Answers in plain text, where the reference gives no Status, and the headers that go with a refusal. Invariant: no
 * text of a client stands in one as markup.
 */
import { quote } from '../../apimachinery/go-format.ts';
import type { Status } from '../../apimachinery/status/status.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Answer, AnswerHeaders } from '../http/exchange.ts';
import { statusAnswer } from '../http/respond.ts';
import type { ServerRequest } from '../http/server-request.ts';

const PLAIN: AnswerHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

export function plainAnswer(status: number, text: string, headers: AnswerHeaders = {}): Answer {
  return { kind: 'bytes', status, headers: { ...PLAIN, ...headers }, body: encodeUtf8(`${text}\n`) };
}

/** Nothing that a browser could take for HTML. */
export function disarmMarkup(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;
}

/** A 500 that is nobody's Status: `target` as it stands on the request line. */
export function plainInternalError(target: string, because: string): Answer {
  return plainAnswer(500, disarmMarkup(`Internal Server Error: ${quote(target)}: ${because}`));
}

/**
 * A Status that no browser may take for something else, as the reference sends its refusals. The audit event gets it
 * too.
 */
export function statusAnswerUnsniffed(request: ServerRequest, status: Status): Answer {
  if (request.audit !== undefined) request.audit.responseObject = status as unknown as JsonObject;
  const answer = statusAnswer(request, status);
  return answer.kind === 'bytes'
    ? { ...answer, headers: { ...answer.headers, 'x-content-type-options': 'nosniff' } }
    : answer;
}
