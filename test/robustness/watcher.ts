/** A watcher of one server: it lists, watches with bookmarks, resumes where its stream ended, and lists again after 410. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveClient, type WatchEvent } from '../live/client.ts';
import { COLLECTION, itemOf, SELECTOR } from './clients.ts';
import type { History, Stream } from './history.ts';

const RETRY_MS = 100;

export interface WatcherOptions {
  /** Unique over all servers. */
  readonly id: number;
  readonly server: number;
  readonly url: string;
  readonly history: History;
  readonly random: (below: number) => number;
  readonly isOver: () => boolean;
}

export class RobustWatcher {
  readonly #options: WatcherOptions;
  #close: (() => void) | undefined;
  /** Everything up to this revision was received. Undefined: a list comes next. */
  position: number | undefined;
  resumed = 0;
  expired = 0;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { url, isOver } = this.#options;
    while (!isOver()) {
      const client = new LiveClient(url);
      this.#close = () => client.close();
      try {
        this.position ??= await this.#list(client);
        if (this.position !== undefined) await this.#watch(client, this.position);
      } finally {
        client.close();
      }
      await sleep(RETRY_MS);
    }
  }

  stop(): void {
    this.#close?.();
  }

  async #list(client: LiveClient): Promise<number | undefined> {
    const { status, body } = await client.request('GET', `${COLLECTION}?${SELECTOR}`);
    if (status !== 200) return undefined;
    return Number((JSON.parse(body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }

  async #watch(client: LiveClient, from: number): Promise<void> {
    const { id, server, history, random } = this.#options;
    const stream: Stream = { server, watcher: id, from, changes: [] };
    history.streams.push(stream);
    this.resumed++;
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${from}&timeoutSeconds=${3 + random(10)}`;
    const watch = client.watch(`${COLLECTION}?${query}&${SELECTOR}`, (event) => this.#take(stream, event));
    if ((await watch.ended) === 410) this.#expire();
  }

  #take(stream: Stream, { type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.#expire();
      return;
    }
    const { history } = this.#options;
    const { key, value, rv } = itemOf(object);
    const isBookmark = type === 'BOOKMARK';
    stream.changes.push({
      type,
      key: isBookmark ? '' : key,
      value: isBookmark ? '' : value,
      rv,
      time: history.now(),
    });
    this.position = rv;
  }

  #expire(): void {
    this.position = undefined;
    this.expired++;
  }
}
