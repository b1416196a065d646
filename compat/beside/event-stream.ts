/** A watch of one server: its events in order, and waits for one of them. */
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import type { JsonObject } from '../../src/base/json-value.ts';
import { withQuery } from '../common/json-requests.ts';
import { type Peer, TOKEN_USERS } from '../peers/peer.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** A wait that takes longer has failed. */
const TIMEOUT_MS = 60_000;

export class EventStream {
  readonly events: WatchEvent[] = [];
  readonly #peer: Peer;
  readonly #path: string;
  readonly #request: ClientRequest;
  #changed: () => void = () => undefined;
  #end: string | undefined;

  private constructor(peer: Peer, path: string, sent: ClientRequest) {
    this.#peer = peer;
    this.#path = path;
    this.#request = sent;
  }

  /** Watches a collection after a resourceVersion, as the admin. Resolves when the server answers 200. */
  static open(peer: Peer, collection: string, resourceVersion: string): Promise<EventStream> {
    const path = withQuery(collection, `watch=true&resourceVersion=${resourceVersion}`);
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN_USERS.admin.token}` };
      const sent = request(peer.url + path, { ca: peer.credentials.caPem, headers, agent: false });
      const stream = new EventStream(peer, path, sent);
      sent.on('error', (error) => {
        stream.#finish(error.message);
        reject(error);
      });
      sent.on('response', (answer) => {
        answer.setEncoding('utf8');
        let text = '';
        answer.on('data', (chunk: string) => {
          const lines = (text + chunk).split('\n');
          text = lines.pop() ?? '';
          stream.#add(lines);
        });
        answer.on('error', (error) => stream.#finish(error.message));
        answer.on('end', () => stream.#finish(`the server ended the watch: ${text}`));
        if (answer.statusCode === 200) resolve(stream);
        else answer.on('end', () => reject(new Error(`${peer.name}: GET ${path}: ${answer.statusCode} ${text}`)));
      });
      sent.end();
    });
  }

  /** Returns the first event that `matches`, also one that has arrived already. Throws if the watch ends first. */
  async until(what: string, matches: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let next = 0; ; ) {
      while (next < this.events.length) {
        const event = this.events[next++] as WatchEvent;
        if (matches(event)) return event;
      }
      const left = deadline - performance.now();
      if (this.#end !== undefined || left <= 0)
        throw new Error(`${this.#peer.name}: ${this.#path}: no ${what}: ${this.#end ?? `none in ${TIMEOUT_MS} ms`}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  stop(): void {
    this.#request.destroy();
  }

  #add(lines: readonly string[]): void {
    for (const line of lines) this.events.push(JSON.parse(line) as WatchEvent);
    this.#changed();
  }

  #finish(reason: string): void {
    this.#end ??= reason;
    this.#changed();
  }
}
