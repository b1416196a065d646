/** One connection that stays open, over HTTP/2 as kubectl and client-go have it, so that what is measured are requests and not handshakes. */
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Side } from '../side.ts';

export interface Response {
  readonly status: number;
  readonly text: string;
}

/** Large enough that a document is not held up by the client. */
const WINDOW_BYTES = 16 * 2 ** 20;

export class Client {
  readonly #side: Side;
  readonly #session: ClientHttp2Session;

  constructor(side: Side) {
    this.#side = side;
    this.#session = connect(side.url, { rejectUnauthorized: false, settings: { initialWindowSize: WINDOW_BYTES } });
    // Whoever waits for an answer hears of it.
    this.#session.on('error', () => {});
    this.#session.on('connect', () => this.#session.setLocalWindowSize(WINDOW_BYTES));
  }

  send(method: string, path: string, body?: string): Promise<Response> {
    const stream = this.#session.request({
      ':method': method,
      ':path': path,
      authorization: `Bearer ${this.#side.token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    });
    return new Promise((resolve, reject) => {
      let status = 0;
      const chunks: Buffer[] = [];
      stream.on('response', (headers) => {
        status = headers[':status'] ?? 0;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }));
      stream.end(body);
    });
  }

  /** Throws unless it is answered 2xx. */
  async ask(method: string, path: string, body?: string): Promise<string> {
    const { status, text } = await this.send(method, path, body);
    if (status < 200 || status > 299)
      throw new Error(`${this.#side.name}: ${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return text;
  }

  close(): void {
    this.#session.destroy();
  }
}

/** The work for each index, so many at a time. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
