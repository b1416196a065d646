/**
 * Large values outside of the keys of the servers. They make the database of the members grow until a disk or a quota
 * is full. Requests go to the JSON gateway of the members, past the proxies.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Truth } from './truth.ts';

/** Below etcd's `--max-request-bytes`. */
const VALUE = Buffer.alloc(1_000_000, 1).toString('base64');
const PREFIX = '/ballast/';
const PREFIX_END = '/ballast0';
/** A cluster that elects a leader answers within this time. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 200;

interface Alarm {
  readonly memberID: string;
  readonly alarm: string;
}

export class Ballast {
  readonly #urls: readonly string[];
  #count = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Stores one more megabyte. Returns false if etcd refuses it because the quota is reached. */
  async add(): Promise<boolean> {
    const key = base64(`${PREFIX}${this.#count++}`);
    const answer = await this.#post('/v3/kv/put', { key, value: VALUE }, isSpaceExceeded);
    return !isSpaceExceeded(answer.text);
  }

  /** Removes all of it, shrinks the databases and ends the alarm. `truth` must be past the last change first. */
  async remove(truth: Truth): Promise<void> {
    const answer = await this.#post('/v3/kv/deleterange', { key: base64(PREFIX), range_end: base64(PREFIX_END) });
    const { header } = JSON.parse(answer.text) as { header: { revision: string } };
    await truth.reach(Number(header.revision));
    const isCompacted = (text: string): boolean => text.includes('has been compacted');
    await this.#post('/v3/kv/compaction', { revision: header.revision, physical: true }, isCompacted);
    for (const url of this.#urls) await this.#post('/v3/maintenance/defragment', {}, undefined, [url]);
    const list = await this.#post('/v3/maintenance/alarm', { action: 'GET' });
    for (const alarm of (JSON.parse(list.text) as { alarms?: readonly Alarm[] }).alarms ?? [])
      await this.#post('/v3/maintenance/alarm', { action: 'DEACTIVATE', ...alarm });
  }

  /** Repeats the request until a member answers 200 or an expected error. */
  async #post(
    path: string,
    body: object,
    isExpected: (text: string) => boolean = () => false,
    urls: readonly string[] = this.#urls,
  ): Promise<{ readonly text: string }> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let i = 0; ; i++) {
      const text = await post(`${urls[i % urls.length]}${path}`, body, isExpected);
      if (text.isFinal) return text;
      if (performance.now() > deadline) throw new Error(`${path}: ${text.text}`);
      await sleep(RETRY_MS);
    }
  }
}

async function post(
  url: string,
  body: object,
  isExpected: (text: string) => boolean,
): Promise<{ readonly text: string; readonly isFinal: boolean }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS / 3),
    });
    const text = await answer.text();
    return { text, isFinal: answer.ok || isExpected(text) };
  } catch (caught) {
    return { text: (caught as Error).message, isFinal: false };
  }
}

function isSpaceExceeded(text: string): boolean {
  return text.includes('database space exceeded');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
