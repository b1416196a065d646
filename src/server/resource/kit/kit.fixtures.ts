/** A server with declared resources, and requests to it without a socket, for the tests of the kit. */
import type { HttpHeaders } from '../../../apimachinery/http/transport.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { createMemoryStorage } from '../../../storage/memory/memory-storage.ts';
import { type ApiServer, createServer, type ServerOptions } from '../../create-server.ts';
import type { ResourceDefinition } from '../resource-definition.ts';

export interface Reply {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The body as JSON; `{}` for another media type. */
  readonly body: JsonObject;
  readonly bytes: Uint8Array;
}

export interface KitServer extends ApiServer {
  /** Sends a request. `body` is sent as JSON. Default headers: JSON in both directions. */
  send(method: string, target: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export async function serve(
  resources: readonly ResourceDefinition[],
  options: Partial<ServerOptions> = {},
): Promise<KitServer> {
  const server = createServer({ resources, storage: createMemoryStorage(), ...options });
  await server.start();
  const send: KitServer['send'] = async (method, target, body, headers = {}) => {
    const answer = await server.transport({
      method,
      target,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
    });
    const chunks: Uint8Array[] = [];
    if (answer.body instanceof Uint8Array) chunks.push(answer.body);
    else for await (const chunk of answer.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
    return { status: answer.status, headers: answer.headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : {} };
  };
  return { ...server, send };
}

/** The causes of a 422 as `field: message`. */
export function causesOf({ body }: Reply): readonly string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { field?: string; message?: string }[] };
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

/** Reads the events of a watch until there are `count`. */
export async function events(server: ApiServer, target: string, count: number): Promise<readonly JsonObject[]> {
  const abort = new AbortController();
  const answer = await server.transport({
    method: 'GET',
    target,
    headers: { accept: 'application/json' },
    signal: abort.signal,
  });
  const found: JsonObject[] = [];
  let text = '';
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) found.push(JSON.parse(line) as JsonObject);
    if (found.length >= count) break;
  }
  abort.abort();
  return found;
}
