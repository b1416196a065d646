/**
 * A client that sends steps to one server over HTTP/1.1. `send` resolves with any answer, and rejects only if there is
 * none.
 */
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { type CertificateUser, type Peer, TOKEN_USERS, type TokenUser } from '../peers/peer.ts';
import type { Step } from './request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Client {
  readonly peer: Peer;
  send(step: Step, variables: ReadonlyMap<string, string>): Promise<Answer>;
  close(): void;
}

const TIMEOUT = 20_000;

/** Replaces `{{name}}`. A name that no step saved stays, so that both servers get the same request. */
export function fill(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{([\w-]+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole);
}

/** `timeout` is the time in milliseconds without data after which a request fails. Default 20,000. */
export function createClient(peer: Peer, timeout: number = TIMEOUT): Client {
  const agents = new Map<string, Agent>();
  const agentFor = (user: CertificateUser | undefined): Agent => {
    const key = user ?? '';
    const known = agents.get(key);
    if (known !== undefined) return known;
    const pair = user === undefined ? undefined : peer.credentials.clients[user];
    const agent = new Agent({
      keepAlive: true,
      ca: peer.credentials.caPem,
      ...(pair === undefined ? {} : { cert: pair.certificatePem, key: pair.keyPem }),
    });
    agents.set(key, agent);
    return agent;
  };
  return {
    peer,
    async send(step, variables) {
      const { user = 'admin' } = step;
      const headers: Record<string, string | string[]> = {};
      const isCertificate = user in peer.credentials.clients && step.token === undefined;
      if (step.token !== undefined) headers['authorization'] = `Bearer ${fill(step.token, variables)}`;
      else if (user in TOKEN_USERS) headers['authorization'] = `Bearer ${TOKEN_USERS[user as TokenUser].token}`;
      if (step.accept !== undefined) headers['accept'] = step.accept;
      const type =
        step.type ?? (step.body === undefined || typeof step.body === 'string' ? undefined : 'application/json');
      if (type !== undefined) headers['content-type'] = type;
      for (const [name, value] of Object.entries(step.headers ?? {})) {
        headers[name.toLowerCase()] =
          typeof value === 'string' ? fill(value, variables) : value.map((item) => fill(item, variables));
      }
      const text = step.body === undefined || typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
      const body = text === undefined ? undefined : Buffer.from(fill(text, variables));
      if (body !== undefined) headers['content-length'] = String(body.length);
      return exchange({
        url: peer.url + fill(step.path, variables),
        method: step.method,
        headers,
        agent: agentFor(isCertificate ? (user as CertificateUser) : undefined),
        body,
        timeout,
      });
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Returns status 0 and the text of the error if the server does not answer. */
export async function ask(client: Client, step: Step, variables: ReadonlyMap<string, string>): Promise<Answer> {
  try {
    return await client.send(step, variables);
  } catch (error) {
    return {
      status: 0,
      headers: {},
      text: `no answer: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    };
  }
}

interface Exchange {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string | string[]>;
  readonly agent: Agent;
  readonly body: Buffer | undefined;
  readonly timeout: number;
}

function exchange(options: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { url, method, headers, agent, body, timeout } = options;
    const sent = request(url, { method, headers, agent, timeout }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        resolve({ status: answer.statusCode ?? 0, headers: flatten(answer.headers), text: plain.toString('utf8') });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${url}: no answer within ${timeout} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
