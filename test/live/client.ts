/** A small HTTP/2 client for tests against a server process: requests, and watches as callbacks. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { ADMIN_TOKEN } from './server.ts';

export interface LiveObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly data?: Readonly<Record<string, string>>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: LiveObject;
}

/** `status` is 0 if the answer is missing or incomplete, so that the outcome is unknown. */
export interface LiveAnswer {
  readonly status: number;
  readonly body: string;
}

const NO_ANSWER: LiveAnswer = { status: 0, body: '' };

export class LiveClient {
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#session = connect(url, { rejectUnauthorized: false });
    // Each stream reports its own failure; the session's error needs no handling.
    this.#session.on('error', () => undefined);
    this.#session.setMaxListeners(0);
  }

  request(method: string, path: string, body?: unknown, type = 'application/json'): Promise<LiveAnswer> {
    return new Promise((resolve) => {
      let stream: ClientHttp2Stream;
      try {
        // Without endStream: false, Node ends a DELETE before its body.
        stream = this.#session.request(headers(method, path, type), { endStream: body === undefined });
      } catch {
        // The session is closed. Yields, so that a loop of requests does not block the event loop.
        setImmediate(() => resolve(NO_ANSWER));
        return;
      }
      let status = 0;
      let text = '';
      let whole = false;
      stream.setEncoding('utf8');
      stream.on('response', (answer) => {
        status = Number(answer[':status']);
      });
      stream.on('data', (chunk: string) => {
        text += chunk;
      });
      stream.on('end', () => {
        whole = true;
      });
      stream.on('error', () => undefined);
      stream.on('close', () => resolve(whole && stream.rstCode === 0 ? { status, body: text } : NO_ANSWER));
      stream.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Calls back for every event. `ended` resolves with the status when the stream ends for any reason. */
  watch(path: string, onEvent: (event: WatchEvent) => void): { readonly ended: Promise<number>; close(): void } {
    const stream = this.#session.request(headers('GET', path, 'application/json'));
    let status = 0;
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
    });
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onEvent(JSON.parse(line) as WatchEvent);
    });
    stream.on('error', () => undefined);
    stream.end();
    return {
      ended: new Promise((resolve) => stream.on('close', () => resolve(status))),
      close: () => stream.destroy(),
    };
  }

  close(): void {
    this.#session.destroy();
  }
}

function headers(method: string, path: string, type: string): Record<string, string> {
  return { ':method': method, ':path': path, authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': type };
}
