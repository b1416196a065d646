/** One side of the benchmark: the address of a server, its credentials and its processes. */
import { request as httpsRequest } from 'node:https';
import { cpuSeconds } from './process-figures.ts';

export interface Side {
  readonly name: string;
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** All processes of the server. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export function headersOf(side: Side, mediaType = 'application/json'): string[] {
  return [`authorization: Bearer ${side.token}`, `accept: ${mediaType}`, `content-type: ${mediaType}`];
}

/** Returns the seconds of server CPU that the work took, and its result. */
export async function withCpu<T>(side: Side, work: () => Promise<T>): Promise<{ cpu: number; result: T }> {
  const before = cpuSeconds(side.pids);
  const result = await work();
  return { cpu: cpuSeconds(side.pids) - before, result };
}

/** Sends one request outside of any measurement. Throws unless the answer is 2xx. */
export async function ask(side: Side, method: string, path: string, body?: unknown): Promise<string> {
  const { status, text } = await send(side, method, path, body);
  if (status < 200 || status > 299) throw new Error(`${side.name}: ${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return text;
}

export function send(
  side: Pick<Side, 'url' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string; warnings: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    // Node frames the body of a DELETE only if its length is given.
    const length = { 'content-length': String(Buffer.byteLength(text)) };
    const headers = {
      authorization: `Bearer ${side.token}`,
      'content-type': 'application/json',
      ...(text !== '' && length),
    };
    const outgoing = httpsRequest(
      `${side.url}${path}`,
      { method, headers, rejectUnauthorized: false, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const warnings = incoming.headersDistinct['warning'] ?? [];
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString(), warnings });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/**
 * Returns a typical ConfigMap of about 1 KB: a dozen settings, some labels and annotations. The server generates its
 * name.
 */
export function configMapBody(): string {
  const data = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`setting-${i}`, `value ${i} of this service: ${'x'.repeat(24)}`]),
  );
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      generateName: 'bench-',
      labels: { 'app.kubernetes.io/name': 'bench', 'app.kubernetes.io/part-of': 'shop', tier: 'backend' },
      annotations: { 'example.com/owner': 'team-a', 'example.com/checksum': '0123456789abcdef0123456789abcdef' },
    },
    data,
  });
}
