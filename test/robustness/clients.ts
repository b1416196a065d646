/** Random clients: each creates, reads, updates and deletes a few ConfigMaps with unique values on random servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveClient, type LiveObject } from '../live/client.ts';
import type { History, Item, Operation, Outcome, Read, Write } from './history.ts';
import type { Servers } from './servers.ts';

const KEYS = ['k0', 'k1', 'k2', 'k3', 'k4'];
export const COLLECTION = '/api/v1/namespaces/default/configmaps';
/** The label of the objects of a run: other ConfigMaps of the namespace do not count. */
export const SELECTOR = 'labelSelector=robustness';
/** A client gives up on a request after this time; its outcome is unknown then. */
const TIMEOUT_MS = 6000;
const PAUSE_MS = 100;

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
  readonly #known = new Map<string, Item>();
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
      if (dice < 30) await this.#get(key);
      else if (dice < 38) await this.#list();
      else if (dice < 42) await this.#listPast('resourceVersion=0');
      else if (dice < 46 && known !== undefined)
        await this.#listPast(`resourceVersion=${known.rv}&resourceVersionMatch=Exact`);
      else if (known === undefined) await this.create(key);
      else if (dice < 90) await this.#update(known);
      else await this.#delete(known);
      await sleep(random(PAUSE_MS));
    }
  }

  /** Returns the resourceVersion of the new object. 0: the outcome is not ok. */
  async create(key: string): Promise<number> {
    const value = this.#value();
    const answer = await this.#request('POST', COLLECTION, objectOf(key, value));
    return this.#wrote({ kind: 'create', key, value, seen: 0 }, answer);
  }

  async #get(key: string): Promise<void> {
    const { status, body, call } = await this.#request('GET', `${COLLECTION}/${key}`);
    if (status !== 200 && status !== 404) return;
    const found = status === 404 ? undefined : itemOf(JSON.parse(body) as LiveObject);
    this.#know(key, found);
    this.#record(call, { kind: 'get', key, found });
  }

  /** A list without a resourceVersion is a read of every key. */
  async #list(): Promise<void> {
    const { status, body, call } = await this.#request('GET', `${COLLECTION}?${SELECTOR}`);
    if (status !== 200) return;
    const list = listOf(body);
    for (const key of KEYS)
      this.#know(
        key,
        list.items.find((item) => item.key === key),
      );
    this.#record(call, { kind: 'list', isCurrent: true, ...list });
  }

  /** A list that may be older than the request. A compacted resourceVersion is answered with 410. */
  async #listPast(query: string): Promise<void> {
    const { status, body, call } = await this.#request('GET', `${COLLECTION}?${query}&${SELECTOR}`);
    if (status === 200) this.#record(call, { kind: 'list', isCurrent: false, ...listOf(body) });
  }

  async #update({ key, rv: seen }: Item): Promise<void> {
    const value = this.#value();
    const answer = await this.#request('PUT', `${COLLECTION}/${key}`, objectOf(key, value, seen));
    this.#wrote({ kind: 'update', key, value, seen }, answer);
  }

  async #delete({ key, rv: seen }: Item): Promise<void> {
    const body = { preconditions: { resourceVersion: String(seen) } };
    const { status, call } = await this.#request('DELETE', `${COLLECTION}/${key}`, body);
    this.#known.delete(key);
    this.#record(call, { kind: 'delete', key, seen, outcome: outcomeOf(status) });
  }

  #wrote(write: { kind: 'create' | 'update'; key: string; value: string; seen: number }, answer: Answer): number {
    const { key, value } = write;
    const outcome = outcomeOf(answer.status);
    const rv = outcome === 'ok' ? itemOf(JSON.parse(answer.body) as LiveObject).rv : 0;
    this.#know(key, rv === 0 ? undefined : { key, value, rv });
    this.#record(answer.call, { ...write, outcome, rv });
    return rv;
  }

  #know(key: string, item: Item | undefined): void {
    if (item === undefined) this.#known.delete(key);
    else this.#known.set(key, item);
  }

  #record(call: number, operation: Read | Write): void {
    const { id, history } = this.#options;
    const timed: Operation = { ...operation, client: id, call, return: history.now() };
    history.operations.push(timed);
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

export function itemOf({ metadata, data }: LiveObject): Item {
  return { key: metadata.name, value: data?.['value'] ?? '', rv: Number(metadata.resourceVersion) };
}

function listOf(body: string): { readonly rv: number; readonly items: readonly Item[] } {
  const list = JSON.parse(body) as { metadata: { resourceVersion: string }; items: LiveObject[] };
  return { rv: Number(list.metadata.resourceVersion), items: list.items.map(itemOf) };
}

function objectOf(name: string, value: string, rv?: number): object {
  const metadata = { name, labels: { robustness: '' }, ...(rv !== undefined && { resourceVersion: String(rv) }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}
