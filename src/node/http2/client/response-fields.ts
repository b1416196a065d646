/** Validates the header fields of a response (RFC 9113, section 8.3.2). Fields are names and values in alternation. */
import type { HttpHeaders } from '../../../apimachinery/http/transport.ts';
import { CONNECTION_FIELDS } from '../request-fields.ts';

export interface ResponseHead {
  readonly status: number;
  /** -1 if none was declared. */
  readonly contentLength: number;
  /** Names in lower case. */
  readonly headers: HttpHeaders;
}

const COLON = 58;
const STATUS = /^[1-5][0-9]{2}$/;
const LENGTH = /^[0-9]{1,15}$/;

/** Returns undefined if the response is malformed. */
export function readResponseHead(fields: readonly string[]): ResponseHead | undefined {
  if (fields[0] !== ':status' || !STATUS.test(fields[1]!)) return undefined;
  const headers: Record<string, string | string[]> = {};
  let contentLength = -1;
  for (let i = 2; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    // `:status` is the only pseudo-header field, and the first field.
    if (name.charCodeAt(0) === COLON || CONNECTION_FIELDS.has(name)) return undefined;
    if (name === 'content-length') {
      if (!LENGTH.test(value) || (contentLength >= 0 && contentLength !== Number(value))) return undefined;
      contentLength = Number(value);
      headers[name] = value;
      continue;
    }
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return { status: Number(fields[1]), contentLength, headers };
}
