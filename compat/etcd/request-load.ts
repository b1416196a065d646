/**
 * Clients that create, read, update and delete objects all the time, and record every request that fails. A request is
 * repeated only if no server has processed it, as HTTP clients do after a GOAWAY.
 */
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { encodeUtf8 } from '../../src/base/bytes.ts';
import { isTransportError } from '../../src/base/errors.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Repetitions of one request that no server has processed. */
const UNSENT = 5;

export interface FailedRequest {
  readonly request: string;
  readonly startedAt: number;
  readonly failedAt: number;
  readonly reason: string;
}

export class RequestLoad {
  readonly failed: FailedRequest[] = [];
  /** Names of objects that a create acknowledged and no delete was sent for. */
  readonly kept: Set<string> = new Set();
  requests = 0;
  unsent = 0;
  readonly #transports: readonly Transport[];
  #running = true;
  #workers: Promise<void>[] = [];

  constructor(transports: readonly Transport[]) {
    this.#transports = transports;
  }

  start(workersPerTransport: number): void {
    this.#workers = this.#transports.flatMap((transport, client) =>
      Array.from({ length: workersPerTransport }, (_, worker) => this.#work(transport, `load-${client}-${worker}`)),
    );
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  async #work(transport: Transport, prefix: string): Promise<void> {
    for (let i = 0; this.#running; i++) {
      const name = `${prefix}-${i}`;
      if (!(await this.#send(transport, 'POST', MAPS, { metadata: { name }, data: { step: '1' } }))) continue;
      this.kept.add(name);
      await this.#send(transport, 'GET', `${MAPS}/${name}`);
      await this.#send(transport, 'PUT', `${MAPS}/${name}`, { metadata: { name }, data: { step: '2' } });
      if (i % 4 === 0) continue;
      this.kept.delete(name);
      await this.#send(transport, 'DELETE', `${MAPS}/${name}`);
    }
  }

  /** Returns whether the request succeeded. */
  async #send(transport: Transport, method: string, target: string, body?: object): Promise<boolean> {
    const startedAt = performance.now();
    this.requests++;
    const fail = (reason: string): false => {
      this.failed.push({ request: `${method} ${target}`, startedAt, failedAt: performance.now(), reason });
      return false;
    };
    for (let attempt = 0; ; attempt++) {
      try {
        const headers = body === undefined ? {} : { 'content-type': 'application/json' };
        const bytes = body && encodeUtf8(JSON.stringify(body));
        const response = await transport({ method, target, headers, ...(bytes && { body: bytes }) });
        return response.status < 300 ? true : fail(`status ${response.status}`);
      } catch (caught) {
        const isUnsent = isTransportError(caught) && !caught.connectionLost && caught.retryable;
        if (!isUnsent || attempt === UNSENT) return fail(caught instanceof Error ? caught.message : String(caught));
        this.unsent++;
      }
    }
  }
}
