import { once } from 'node:events';
import { request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { isConfigError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { chunksOf } from '../server/http/chunk-source.ts';
import type { AnswerSink, BodyResult, Handler, Incoming } from '../server/http/exchange.ts';
import {
  certificates,
  h1Request,
  h2,
  h2Request,
  listen,
  type Response,
  raw,
  readAll,
  stopAll,
  text,
} from './listener.fixtures.ts';
import type { Listener } from './listener.ts';
import type { ListenerProblem } from './problems.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

async function start(handler: Handler, options: Parameters<typeof listen>[1] = {}): Promise<Listener> {
  const listener = await listen(handler, options);
  open.push(listener);
  return listener;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
}

const protocols: { name: 'h2' | 'http/1.1'; ask(listener: Listener, ask: Ask): Promise<Response> }[] = [
  {
    name: 'h2',
    async ask(listener, { method = 'GET', path = '/', headers = {}, body }) {
      const session = await h2(listener);
      try {
        return await h2Request(session, { ':method': method, ':path': path, ...headers }, body);
      } finally {
        session.destroy();
      }
    },
  },
  {
    name: 'http/1.1',
    ask: (listener, { method = 'GET', path = '/', headers = {}, body }) =>
      h1Request(listener, { method, path, headers }, body),
  },
];

for (const { name, ask } of protocols) {
  describe(`over ${name}`, () => {
    it('passes method, target, headers and connection to the handler', async () => {
      let seen: Incoming | undefined;
      let values: readonly string[] = [];
      const listener = await start((incoming) => {
        seen = incoming;
        values = incoming.headerValues('impersonate-group');
        return text('hello');
      });
      const answer = await ask(listener, {
        path: '/api/v1/pods?limit=5',
        headers: { 'impersonate-group': ['a', 'b,c'], 'x-one': '1' },
      });
      expect(answer).toMatchObject({ status: 200, body: 'hello' });
      expect(answer.headers).toMatchObject({ 'content-length': '5', 'content-type': 'text/plain' });
      expect(answer.headers.date).toBeDefined();
      expect(seen).toMatchObject({ method: 'GET', target: '/api/v1/pods?limit=5' });
      expect(seen?.connection).toMatchObject({ protocol: name, secure: true, remoteAddress: '127.0.0.1' });
      expect(seen?.connection.certificate()).toBeUndefined();
      expect(seen?.connection.certificateProblem('client')).toBeUndefined();
      expect(seen?.header('impersonate-group')).toBe('a, b,c');
      expect(values).toEqual(['a', 'b,c']);
      expect(seen?.header('x-none')).toBeUndefined();
      expect(seen?.header('host')).toBe(`127.0.0.1:${listener.port}`);
      expect(seen?.headerNames()).toEqual(expect.arrayContaining(['impersonate-group', 'x-one']));
      expect(seen?.headerNames().filter((header) => header.startsWith(':'))).toEqual([]);
    });

    it('answers HEAD with headers only, for every kind of answer', async () => {
      const bytes = new TextEncoder().encode('abc');
      let closed = 0;
      const listener = await start((incoming) => {
        if (incoming.target === '/bytes') return { kind: 'bytes', status: 200, headers: {}, body: bytes };
        if (incoming.target === '/chunks')
          return { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf([bytes, bytes]) };
        return { kind: 'stream', status: 200, headers: {}, start: (sink) => sink.onClose(() => closed++) };
      });
      const lengths = [];
      for (const path of ['/bytes', '/chunks', '/stream']) {
        const answer = await ask(listener, { method: 'HEAD', path });
        expect(answer).toMatchObject({ status: 200, body: '' });
        lengths.push(answer.headers['content-length']);
      }
      expect(lengths).toEqual(['3', '6', undefined]);
      expect(closed).toBe(1);
    });

    it('sends several headers of one name, and no length for answers without a body', async () => {
      const listener = await start(() => ({
        kind: 'bytes',
        status: 304,
        headers: { 'x-warning': ['one', 'two'], etag: '"1"' },
        body: new Uint8Array(0),
      }));
      const answer = await ask(listener, {});
      expect(answer).toMatchObject({ status: 304, headers: { 'x-warning': 'one, two', etag: '"1"' } });
      expect(answer.headers['content-length']).toBeUndefined();
    });

    it('reads bodies of known and unknown length, and reports those that are too large', async () => {
      const results: BodyResult[] = [];
      const listener = await start(async (incoming) => {
        const result = await incoming.body(100_000);
        results.push(result);
        return text(result.outcome, result.outcome === 'ok' ? 200 : 413);
      });
      const body = Buffer.alloc(100_000, 'x');
      expect(await ask(listener, { method: 'POST', body })).toMatchObject({ status: 200 });
      const known = { 'content-length': '100000' };
      expect(await ask(listener, { method: 'POST', headers: known, body })).toMatchObject({ status: 200 });
      expect(await ask(listener, {})).toMatchObject({ status: 200, body: 'ok' });
      const large = Buffer.alloc(2_000_000, 'x');
      expect(await ask(listener, { method: 'POST', body: large })).toMatchObject({ status: 413, body: 'too-large' });
      const declared = { 'content-length': String(large.length) };
      expect(await ask(listener, { method: 'POST', headers: declared, body: large })).toMatchObject({ status: 413 });
      const sizes = results.map((result) => (result.outcome === 'ok' ? result.bytes.byteLength : result.outcome));
      expect(sizes).toEqual([100_000, 100_000, 0, 'too-large', 'too-large']);
      const first = results[0] as Extract<BodyResult, { outcome: 'ok' }>;
      expect(first.bytes.buffer.byteLength).toBe(100_000);
      expect(Buffer.from(first.bytes).equals(body)).toBe(true);
    });

    it('may answer before the body is sent', async () => {
      const listener = await start(() => text('no', 401));
      const body = Buffer.alloc(1_000_000, 'x');
      expect(await ask(listener, { method: 'POST', body })).toMatchObject({ status: 401, body: 'no' });
      const declared = { 'content-length': '1000000' };
      expect(await ask(listener, { method: 'POST', headers: declared, body })).toMatchObject({ status: 401 });
    });

    it('writes thousands of chunks by reference and in order', async () => {
      const chunks = Array.from({ length: 5000 }, (_, i) => new TextEncoder().encode(`${i},`));
      const listener = await start(() => ({ kind: 'chunks', status: 200, headers: {}, chunks: chunksOf(chunks) }));
      const answer = await ask(listener, {});
      expect(answer.body).toBe(Buffer.concat(chunks).toString());
      expect(answer.headers['content-length']).toBe(String(answer.body.length));
    });

    it('streams with backpressure and ends cleanly', async () => {
      const block = Buffer.alloc(50_000, 'y');
      let waits = 0;
      const listener = await start(() => ({
        kind: 'stream',
        status: 200,
        headers: {},
        start(sink) {
          let left = 40;
          const pump = (): void => {
            while (left > 0) {
              left--;
              if (!sink.write([block, block])) {
                waits++;
                return;
              }
            }
            sink.end();
          };
          sink.onDrain(pump);
          pump();
        },
      }));
      const answer = await ask(listener, {});
      expect(answer.body.length).toBe(40 * 2 * block.length);
      expect(waits).toBeGreaterThan(5);
    });

    it('waits for an asynchronous answer', async () => {
      const listener = await start(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return text('later');
      });
      expect(await ask(listener, {})).toMatchObject({ body: 'later' });
    });

    it('answers 500 and reports when a handler throws, and aborts an answer that cannot be sent', async () => {
      const problems: ListenerProblem[] = [];
      const clock = new VirtualClock(Date.now());
      const listener = await start(
        (incoming) => {
          if (incoming.target.startsWith('/throw')) throw new Error('oops');
          if (incoming.target === '/reject') return Promise.reject(new Error('oops'));
          return { kind: 'bytes', status: 200, headers: { 'bad header': '1' }, body: new Uint8Array(0) };
        },
        { onProblem: (problem) => problems.push(problem), clock },
      );
      expect(await ask(listener, { path: '/throw?token=secret' })).toMatchObject({ status: 500 });
      expect(problems[0]).toMatchObject({ kind: 'handler-failed', suppressed: 0, remoteAddress: '127.0.0.1' });
      expect(problems[0]?.message).toBe('the handler of a request failed: GET /throw: oops');
      expect(await ask(listener, { path: '/reject' })).toMatchObject({ status: 500 });
      expect(problems).toHaveLength(1);
      await expect(ask(listener, { path: '/bad' })).rejects.toThrow();
    });

    it('answers 400 instead of a WebSocket to a client that did not ask for one, and starts the answer as closed', async () => {
      let over = 0;
      const listener = await start(() => ({
        kind: 'websocket',
        headers: {},
        protocols: [],
        start: (socket) => socket.onClose(() => over++),
      }));
      expect(await ask(listener, {})).toMatchObject({ status: 400 });
      expect(over).toBe(1);
    });
  });
}

describe('HTTP/2', () => {
  it('calls onClose when the client resets the stream', async () => {
    const gone = new Deferred<string>();
    const started = new Deferred<AnswerSink>();
    const listener = await start((incoming) => {
      incoming.onClose(() => gone.resolve('incoming'));
      return { kind: 'stream', status: 200, headers: {}, start: (sink) => started.resolve(sink) };
    });
    const session = await h2(listener);
    const stream = session.request({ ':path': '/' });
    await once(stream, 'response');
    const sink = await started.promise;
    stream.close(8);
    expect(await gone.promise).toBe('incoming');
    const again = new Deferred<void>();
    sink.onClose(() => again.resolve());
    await again.promise;
    expect(sink.write([new Uint8Array(1)])).toBe(false);
    session.destroy();
  });

  it('makes the client see an aborted answer as an error, with or without unread bytes', async () => {
    const started = new Deferred<AnswerSink>();
    const listener = await start((incoming) => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start(sink) {
        sink.write([new Uint8Array([65])]);
        if (incoming.target === '/later') started.resolve(sink);
        else sink.abort();
      },
    }));
    const session = await h2(listener);
    for (const path of ['/', '/later']) {
      const stream = session.request({ ':path': path });
      const failed = once(stream, 'error') as Promise<[Error]>;
      let ended = false;
      stream.on('end', () => {
        ended = true;
      });
      if (path === '/later') {
        await once(stream, 'data');
        (await started.promise).abort();
      }
      const [error] = await failed;
      expect(error.message).toContain('NGHTTP2_INTERNAL_ERROR');
      expect(ended).toBe(false);
    }
    session.destroy();
  });

  it('sends 100 Continue when the handler reads the body', async () => {
    const listener = await start(async (incoming) => {
      await incoming.body(10);
      return text('done');
    });
    const session = await h2(listener);
    const stream = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' }, { endStream: false });
    await once(stream, 'continue');
    stream.end('x');
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    expect(headers[':status']).toBe(200);
    session.destroy();
  });
});

describe('HTTP/1.1', () => {
  it('sends 100 Continue when the handler reads the body, and not before a refusal', async () => {
    const { ca } = await certificates();
    const listener = await start(async (incoming) => {
      if (incoming.target === '/refuse') return text('no', 403);
      const body = await incoming.body(10);
      return text(body.outcome);
    });
    for (const [path, status, continues] of [
      ['/', 200, 1],
      ['/refuse', 403, 0],
    ] as const) {
      const headers = { expect: '100-continue', 'content-length': '1' };
      const outgoing = request(listener.url, { method: 'POST', path, headers, ca: ca.certificatePem, agent: false });
      let continued = 0;
      outgoing.on('continue', () => {
        continued++;
        outgoing.end('x');
      });
      outgoing.flushHeaders();
      const [incoming] = await once(outgoing, 'response');
      expect(incoming.statusCode).toBe(status);
      expect(continued).toBe(continues);
      outgoing.on('error', () => {});
      outgoing.destroy();
    }
  });

  it('keeps a connection for several requests, pipelined ones included, and answers in order', async () => {
    const listener = await start((incoming) =>
      incoming.target === '/slow'
        ? new Promise((resolve) => setImmediate(() => resolve(text('slow'))))
        : text(incoming.target),
    );
    const socket = await raw(listener, 'http/1.1');
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\nGET http://a/b?c HTTP/1.1\r\nhost: a\r\n\r\n');
    socket.write('GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const all = await readAll(socket);
    expect(all.match(/slow|\/b\?c|\/last/g)).toEqual(['slow', '/b?c', '/last']);
  });

  it('calls onClose when the client disconnects', async () => {
    const gone = new Deferred<void>();
    const listener = await start((incoming) => {
      incoming.onClose(() => gone.resolve());
      return { kind: 'stream', status: 200, headers: {}, start: (sink) => sink.write([new Uint8Array([65])]) };
    });
    const socket = await raw(listener, 'http/1.1');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await gone.promise;
  });

  it('calls onClose for all pipelined requests when the client disconnects', async () => {
    const gone: string[] = [];
    const all = new Deferred<void>();
    const first = new Deferred<void>();
    const listener = await start((incoming) => {
      incoming.onClose(() => {
        gone.push(incoming.target);
        if (gone.length === 3) all.resolve();
      });
      if (incoming.target === '/c') first.resolve();
      return { kind: 'stream', status: 200, headers: {}, start: (sink) => sink.write([new Uint8Array([65])]) };
    });
    const socket = await raw(listener, 'http/1.1');
    socket.on('error', () => {});
    socket.write(['/a', '/b', '/c'].map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    await first.promise;
    socket.destroy();
    await all.promise;
    expect(gone.toSorted()).toEqual(['/a', '/b', '/c']);
  });

  it('answers 400 to malformed requests and 431 to too many headers', async () => {
    const listener = await start(() => text('x'), { limits: { maxHeaderCount: 20, maxHeaderBytes: 4000 } });
    const answers = [];
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      `GET / HTTP/1.1\r\nhost: a\r\n${Array.from({ length: 20 }, (_, i) => `x-${i}: 1\r\n`).join('')}\r\n`,
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(5000)}\r\n\r\n`,
    ]) {
      const socket = await raw(listener, 'http/1.1');
      socket.write(bytes);
      answers.push((await readAll(socket)).split('\r\n')[0]);
    }
    expect(answers).toEqual([
      'HTTP/1.1 400 Bad Request',
      'HTTP/1.1 431 Request Header Fields Too Large',
      'HTTP/1.1 431 Request Header Fields Too Large',
    ]);
  });
});

describe('the port', () => {
  it('is reported as a ConfigError if another program uses it', async () => {
    const listener = await start(() => text('x'));
    const error = await listen(() => text('x'), { port: listener.port }).catch((caught: unknown) => caught);
    expect(isConfigError(error)).toBe(true);
    expect((error as Error).message).toBe(
      `cannot listen on 127.0.0.1:${listener.port}: another program uses that port already; stop it, or choose another port (0 takes any free one)`,
    );
  });

  it('is reported as a ConfigError if the machine does not have the address', async () => {
    const error = await listen(() => text('x'), { host: '192.0.2.1' }).catch((caught: unknown) => caught);
    expect(isConfigError(error)).toBe(true);
    expect((error as Error).message).toContain('cannot listen on 192.0.2.1:0: this machine does not have that address');
  });
});
