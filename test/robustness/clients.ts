/** Random clients: each creates, reads, updates and deletes a few ConfigMaps with unique values on random servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveClient, type LiveObject } from '../live/client.ts';
import type { History, Operation, Outcome } from './history.ts';
import type { Servers } from './servers.ts';

const KEYS = ['k0', 'k1', 'k2', 'k3', 'k4'];
export const COLLECTION = '/api/v1/namespaces/default/configmaps';
/** The label of the objects of a run: other ConfigMaps of the namespace do not count. */
export const SELECTOR = 'labelSelector=robustness';
/** A client gives up on a request after this time; its outcome is unknown then. */
const TIMEOUT_MS = 6000;
const PAUSE_MS = 60;

interface Known {
  readonly rv: number;
  readonly value: string;
}

export interface ClientOptions {
  readonly id: number;
  readonly servers: Servers;
  readonly history: History;
  /** Returns a number below its argument. */
  readonly random: (below: number) => number;
  readonly isOver: () => boolean;
}

export class RandomClient {
  readonly #options: ClientOptions;
  /** The state of each key that this client saw last. */
  readonly #known = new Map<string, Known>();
  #writes = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { random, isOver } = this.#options;
    while (!isOver()) {
      const key = KEYS[random(KEYS.length)] as string;
      const dice = random(100);
      const known = this.#known.get(key);
      if (dice < 35) await this.#get(key);
      else if (dice < 45) await this.#list();
      else if (known === undefined) await this.#create(key);
      else if (dice < 90) await this.#update(key, known);
      else await this.#delete(key, known);
      await sleep(random(PAUSE_MS));
    }
  }

  async #get(key: string): Promise<void> {
    const { status, body, call } = await this.#request('GET', `${COLLECTION}/${key}`);
    if (status === 404) this.#read(key, undefined, call);
    else if (status === 200) this.#read(key, stateOf(JSON.parse(body) as LiveObject), call);
  }

  /** A list without a resourceVersion is a read of every key. */
  async #list(): Promise<void> {
    const { status, body, call } = await this.#request('GET', `${COLLECTION}?${SELECTOR}`);
    if (status !== 200) return;
    const { items } = JSON.parse(body) as { items: LiveObject[] };
    const found = new Map(items.map((item) => [item.metadata.name, stateOf(item)]));
    for (const key of KEYS) this.#read(key, found.get(key), call);
  }

  #read(key: string, state: Known | undefined, call: number): void {
    if (state === undefined) this.#known.delete(key);
    else this.#known.set(key, state);
    const outcome = state === undefined ? 'missing' : 'ok';
    this.#record({ key, kind: 'get', outcome, rv: 0, ...state, call });
  }

  async #create(key: string): Promise<void> {
    const value = this.#value();
    const answer = await this.#request('POST', COLLECTION, objectOf(key, value));
    this.#wrote({ key, kind: 'create', value }, answer);
  }

  async #update(key: string, known: Known): Promise<void> {
    const value = this.#value();
    const answer = await this.#request('PUT', `${COLLECTION}/${key}`, objectOf(key, value, known.rv));
    this.#wrote({ key, kind: 'update', seen: known.value, value }, answer);
  }

  async #delete(key: string, { rv, value: seen }: Known): Promise<void> {
    const body = { preconditions: { resourceVersion: String(rv) } };
    const answer = await this.#request('DELETE', `${COLLECTION}/${key}`, body);
    this.#known.delete(key);
    const outcome = outcomeOf(answer.status);
    this.#record({ key, kind: 'delete', seen, outcome, rv: 0, call: answer.call });
  }

  #wrote(operation: Pick<Operation, 'key' | 'kind' | 'seen' | 'value'>, answer: Answer): void {
    const { key, value } = operation;
    const outcome = outcomeOf(answer.status);
    const rv = outcome === 'ok' ? stateOf(JSON.parse(answer.body) as LiveObject).rv : 0;
    if (outcome === 'ok') this.#known.set(key, { rv, value: value as string });
    else this.#known.delete(key);
    this.#record({ ...operation, outcome, rv, call: answer.call });
  }

  #record(operation: Omit<Operation, 'client' | 'return'>): void {
    const { id, history } = this.#options;
    history.operations.push({ ...operation, client: id, return: history.now() });
  }

  #value(): string {
    return `v${this.#options.id}-${++this.#writes}`;
  }

  async #request(method: string, path: string, body?: unknown): Promise<Answer> {
    const { servers, random, history } = this.#options;
    const { url } = servers.servers[random(servers.servers.length)]!;
    const client = new LiveClient(url);
    const call = history.now();
    try {
      return { ...(await within(client.request(method, path, body))), call };
    } finally {
      client.close();
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly call: number;
}

/** Resolves with status 0 after the timeout. */
async function within<T>(answer: Promise<T>): Promise<T | { status: number; body: string }> {
  const timer = new AbortController();
  const late = sleep(TIMEOUT_MS, { status: 0, body: '' }, { signal: timer.signal }).catch(() => answer);
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
  }
}

function outcomeOf(status: number): Outcome {
  if (status === 200 || status === 201) return 'ok';
  if (status === 409) return 'conflict';
  return status === 404 ? 'missing' : 'unknown';
}

export function stateOf({ metadata, data }: LiveObject): Known {
  return { rv: Number(metadata.resourceVersion), value: data?.['value'] ?? '' };
}

export function objectOf(name: string, value: string, rv?: number): object {
  const metadata = { name, labels: { robustness: '' }, ...(rv !== undefined && { resourceVersion: String(rv) }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}
