/**
 * Sends one request and reads its response into memory.
 * Invariants: a Status of failure, and any response with an HTTP error code, is thrown as a StatusError. A body that is
 * too large is a TransportError.
 */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import { type Status, StatusError } from '../apimachinery/status/status.ts';
import { genericServerResponse } from '../apimachinery/status/status-catalogue.ts';
import { concatBytes, decodeUtf8 } from '../base/bytes.ts';
import { TransportError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { readWarnings } from './warnings.ts';

/** The default for the most bytes of a response. A list of 100,000 Pods without pages has about this size. */
export const MAX_RESPONSE_BYTES: number = 256 * 1024 * 1024;

export interface Call extends TransportRequest {
  /** Default MAX_RESPONSE_BYTES. */
  readonly maxBytes?: number;
  /** Called with the text of each warning. Default: warnings are dropped. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Whether 304 is a success: the request has an If-None-Match. Default false. */
  readonly acceptNotModified?: boolean;
  /** The resource and the object of the request, for messages about error responses without a Status. */
  readonly resource?: GroupResource;
  readonly name?: string;
}

/** Returns the body of a successful response. */
export async function sendForBytes(transport: Transport, call: Call): Promise<Uint8Array> {
  const response = await sendChecked(transport, call);
  return readBody(response, call);
}

/**
 * Returns the body of a successful response as a JSON object. Throws a TransportError that is not retryable for any
 * other body.
 */
export async function sendForObject(transport: Transport, call: Call): Promise<JsonObject> {
  return parseObject(await sendForBytes(transport, call), call);
}

/** Parses the body of a response. Throws like `sendForObject`. */
export function parseObject(bytes: Uint8Array, call: Call): JsonObject {
  const read = readJson(bytes);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const problem = read.ok ? 'is not a JSON object' : `is not JSON: ${read.error.message}`;
  throw unusable(call, `the response ${problem}`);
}

/**
 * Sends a request and returns a response with an HTTP success code, whose body is not read yet. Reports its warnings.
 */
export async function sendChecked(transport: Transport, call: Call): Promise<TransportResponse> {
  const response = await transport(call);
  if (call.onWarning !== undefined) readWarnings(response.headers, call.onWarning);
  if (response.status >= 200 && response.status < 300) return response;
  if (response.status === 304 && call.acceptNotModified === true) return response;
  throw failureOf(response, await readBody(response, call), call);
}

/** Reads the whole body of a response. Throws TransportError if it is larger than `maxBytes`. */
export async function readBody(response: TransportResponse, call: Call): Promise<Uint8Array> {
  const { body } = response;
  const limit = call.maxBytes ?? MAX_RESPONSE_BYTES;
  if (body instanceof Uint8Array) {
    if (body.byteLength > limit) throw tooLarge(call, limit);
    return body;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(call, limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks);
}

function failureOf(response: TransportResponse, body: Uint8Array, call: Call): StatusError {
  const read = readJson(body);
  const seconds = retryAfterSeconds(response);
  if (read.ok && isJsonObject(read.value) && getField(read.value, 'kind') === 'Status')
    return new StatusError(withDelay(read.value as unknown as Status, response.status, seconds));
  return new StatusError(
    genericServerResponse({
      code: response.status,
      verb: call.method,
      ...(call.resource === undefined ? {} : { resource: call.resource }),
      ...(call.name === undefined ? {} : { name: call.name }),
      serverMessage: decodeUtf8(body.subarray(0, 2048)).trim(),
      retryAfterSeconds: seconds,
      unexpected: true,
    }),
  );
}

/** Adds the HTTP code and the delay of the Retry-After header to a Status that has none. */
function withDelay(status: Status, code: number, seconds: number): Status {
  const coded = status.code === undefined || status.code === 0 ? { ...status, code } : status;
  if (seconds === 0 || (status.details?.retryAfterSeconds ?? 0) > 0) return coded;
  return { ...coded, details: { ...status.details, retryAfterSeconds: seconds } };
}

/** Returns the Retry-After header in whole seconds; 0 without one. API servers do not use the form with a date. */
function retryAfterSeconds(response: TransportResponse): number {
  const value = response.headers['retry-after'];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

function tooLarge(call: Call, limit: number): TransportError {
  return unusable(call, `the response has more than ${limit} bytes`);
}

/** Makes the error about a response that cannot be read. Repeating the request would not help. */
export function unusable({ method, target }: Call, problem: string, cause?: unknown): TransportError {
  return new TransportError(`${method} ${target}: ${problem}`, { retryable: false, cause });
}
