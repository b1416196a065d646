/** The GET of one JSON object by its path. */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { JsonObject } from '../base/json-value.ts';
import { sendForObject } from './response.ts';

/** Throws StatusError for a failure, and TransportError for a response that is not a JSON object. */
export function readObject(transport: Transport, target: string, accept = 'application/json'): Promise<JsonObject> {
  return sendForObject(transport, { method: 'GET', target, headers: { accept } });
}
