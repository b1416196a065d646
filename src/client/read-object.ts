/** Requests of a client that expects JSON. An answer that is not a success is a StatusError or a TransportError. */
import type { Transport } from '../apimachinery/http/transport.ts';
import { type Status, StatusError } from '../apimachinery/status/status.ts';
import { concatBytes, decodeUtf8 } from '../base/bytes.ts';
import { TransportError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';

/**
 * Gets a JSON object. Throws StatusError for a Status, and TransportError for an answer that is neither a Status nor an
 * object.
 */
export async function readObject(
  transport: Transport,
  target: string,
  accept = 'application/json',
): Promise<JsonObject> {
  const answer = await transport({ method: 'GET', target, headers: { accept } });
  const bytes = answer.body instanceof Uint8Array ? answer.body : await collect(answer.body);
  const read = readJson(bytes);
  const value = read.ok && isJsonObject(read.value) ? read.value : undefined;
  if (answer.status >= 200 && answer.status < 300 && value !== undefined) return value;
  if (value !== undefined && getField(value, 'kind') === 'Status') throw new StatusError(value as unknown as Status);
  const text = decodeUtf8(bytes).trim().slice(0, 200);
  throw new TransportError(`the server answered GET ${target} with ${answer.status}${text === '' ? '' : `: ${text}`}`, {
    retryable: false,
  });
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return concatBytes(chunks);
}
