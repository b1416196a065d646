/**
 * Calls to webhooks and other servers, over HTTPS with connections that are kept. Invariant: a call ends within its
 * time; an answer that is too large is cut off, not kept.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request } from 'node:https';
import { isIP } from 'node:net';
import { concatBytes } from '../../base/bytes.ts';
import type { OutboundAnswer, OutboundCall, OutboundClient } from '../../server/http/outbound.ts';

/** Distinct authorities whose connections are kept; the one that was not used for longest goes first. */
const AGENTS = 64;
const IDLE_MS = 30_000;

export function createOutboundClient(): OutboundClient {
  return new NodeOutboundClient();
}

class NodeOutboundClient implements OutboundClient {
  /** By authority: a connection that one bundle vouched for is not used for another. */
  readonly #agents = new Map<string, Agent>();
  readonly #underWay = new Set<ClientRequest>();
  #stopped = false;

  post(call: OutboundCall): Promise<OutboundAnswer> {
    const { url, timeoutMs } = call;
    const failed = (why: string): Error => new Error(`Post ${JSON.stringify(url)}: ${why}`);
    if (this.#stopped) return Promise.reject(failed('the server is shutting down'));
    return new Promise((resolve, reject) => {
      const target = new URL(url);
      const host = target.hostname.replace(/^\[|\]$/g, '');
      const outgoing = request(
        {
          agent: this.#agent(call.ca),
          method: 'POST',
          host: call.address?.host ?? host,
          port: call.address?.port ?? (target.port === '' ? 443 : Number(target.port)),
          path: target.pathname + target.search,
          // A certificate is for a name or for an address; only names are announced.
          ...(isIP(host) === 0 ? { servername: host } : undefined),
          headers: {
            host: target.host,
            'content-type': call.contentType,
            accept: 'application/json, */*',
            'content-length': call.body.byteLength,
            'user-agent': 'keelson',
          },
        },
        (answer) => {
          read(answer, call.answerBytes).then(
            (body) => {
              clearTimeout(timer);
              resolve({ status: answer.statusCode ?? 0, body });
            },
            (error: unknown) => {
              clearTimeout(timer);
              outgoing.destroy();
              reject(failed(isLate ? LATE_BODY : describe(error, call)));
            },
          );
        },
      );
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        outgoing.destroy(new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)'));
      }, timeoutMs);
      this.#underWay.add(outgoing);
      outgoing.on('close', () => this.#underWay.delete(outgoing));
      outgoing.on('error', (error) => {
        clearTimeout(timer);
        reject(failed(describe(error, call)));
      });
      outgoing.end(call.body);
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const outgoing of this.#underWay) outgoing.destroy(new Error('the server is shutting down'));
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(ca: string): Agent {
    const known = this.#agents.get(ca);
    if (known !== undefined) {
      this.#agents.delete(ca);
      this.#agents.set(ca, known);
      return known;
    }
    const options: AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 16 };
    if (ca !== '') options.ca = ca;
    const agent = new Agent(options);
    this.#agents.set(ca, agent);
    const [oldest] = this.#agents;
    if (this.#agents.size > AGENTS && oldest !== undefined) {
      const [bundle, forgotten] = oldest;
      this.#agents.delete(bundle);
      // Whoever is being called goes on: the calls of one must not fail because another calls many. What they leave
      // open closes by its idle time.
      for (const sockets of Object.values(forgotten.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
    return agent;
  }
}

const LATE_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

function read(answer: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    answer.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      if (size > limit) {
        answer.destroy();
        reject(new Error(`the answer is larger than ${limit} bytes`));
      } else chunks.push(chunk);
    });
    answer.on('end', () => resolve(concatBytes(chunks)));
    answer.on('error', reject);
  });
}

/** In the words of Go's client, which people search for. */
function describe(error: unknown, { url, address }: OutboundCall): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const target = new URL(url);
  const to = `${address?.host ?? target.hostname}:${address?.port ?? (target.port === '' ? 443 : target.port)}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${to}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${target.hostname}: no such host`;
    case 'ETIMEDOUT':
      return `dial tcp ${to}: i/o timeout`;
    case 'EHOSTUNREACH':
      return `dial tcp ${to}: connect: no route to host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: certificate is not valid for ${target.hostname}: ${error.message}`;
    default:
      return error.message;
  }
}
