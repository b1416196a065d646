/** Connections that stay open, so that what is measured are requests and not handshakes. */
import { Agent, request } from 'node:https';
import type { Side } from '../side.ts';

export interface Response {
  readonly status: number;
  readonly text: string;
}

export class Connections {
  readonly #side: Side;
  readonly #agent: Agent;

  constructor(side: Side, count: number) {
    this.#side = side;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count, rejectUnauthorized: false });
  }

  send(method: string, path: string, body?: string): Promise<Response> {
    const { url, token } = this.#side;
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { method, headers, agent: this.#agent }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
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
    this.#agent.destroy();
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
