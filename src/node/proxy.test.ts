import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { closed } from './listener.fixtures.ts';
import { cleanUp, type Protocol, proxyTo, send, upstream } from './proxy.fixtures.ts';

afterEach(cleanUp);

const MB = 1024 * 1024;
/** No part of the proxy may hold more than this of one body. */
const MOST_BUFFERED = 512 * 1024;
const CHUNK = randomBytes(64 * 1024);
const PAIRS: readonly (readonly [client: Protocol, upstream: Protocol])[] = [
  ['http/1.1', 'http/1.1'],
  ['http/1.1', 'h2'],
  ['h2', 'http/1.1'],
  ['h2', 'h2'],
];

/** Writes `chunks` times CHUNK as fast as the stream takes them, and ends it. Returns the hash of the bytes. */
async function writeAll(body: Writable, chunks: number): Promise<string> {
  const hash = createHash('sha256');
  for (let i = 0; i < chunks; i++) {
    hash.update(CHUNK);
    if (!body.write(CHUNK)) await once(body, 'drain');
  }
  body.end();
  return hash.digest('hex');
}

/** Reads to the end, with a turn of the event loop before each chunk. Returns size and hash. */
async function readSlowly(body: Readable): Promise<{ size: number; hash: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    hash.update(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { size, hash: hash.digest('hex') };
}

/** Reads until the text has arrived. */
async function readUntil(body: Readable, text: string): Promise<void> {
  let seen = '';
  while (!seen.includes(text)) {
    const [chunk] = (await once(body, 'data')) as [Buffer];
    seen += chunk.toString();
  }
}

for (const [client, server] of PAIRS) {
  describe(`a proxy from ${client} to ${server}`, () => {
    it('passes method, target, headers, status and bodies on', async () => {
      const target = await upstream(server, (request, response) => {
        request.setEncoding('utf8');
        let body = '';
        request.on('data', (chunk: string) => {
          body += chunk;
        });
        request.on('end', () => {
          response.writeHead(207, { 'x-b': ['1', '2'], 'content-type': 'text/plain' });
          response.end(`${request.method} ${request.url} ${request.headers['x-a']} ${body}`);
        });
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { method: 'PUT', path: '/a?b=c', headers: { 'x-a': 'y' } });
      sent.body.end('hello');
      const { status, headers, body } = await sent.response;
      expect([status, headers['x-b'], headers['content-type']]).toEqual([207, '1, 2', 'text/plain']);
      expect((await body.toArray()).join('')).toBe('PUT /a?b=c y hello');
      const plain = await send(listener, client, { method: 'GET', path: '/x' });
      plain.body.end();
      expect((await (await plain.response).body.toArray()).join('')).toBe('GET /x undefined ');
    });

    it('passes the trailers of a response on', async () => {
      const target = await upstream(server, (_request, response) => {
        response.writeHead(200, { trailer: 'x-checksum' });
        response.addTrailers({ 'x-checksum': 'abc' });
        response.end('hello');
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { method: 'GET', path: '/' });
      sent.body.end();
      const { headers, body } = await sent.response;
      const received = client === 'h2' ? once(body, 'trailers').then(([fields]) => fields as object) : undefined;
      expect((await body.toArray()).join('')).toBe('hello');
      const trailers = (await received) ?? (body as IncomingMessage).trailers;
      expect(headers['trailer']).toBe('x-checksum');
      expect(trailers).toMatchObject({ 'x-checksum': 'abc' });
    });

    it('does not announce trailers of a response that can have none', async () => {
      const target = await upstream(server, (_request, response) => {
        const head = Buffer.from('HTTP/1.1 200 OK\r\nTrailer: x-a\r\nContent-Length: 2\r\n\r\nok');
        // Node's own HTTP/1.1 server refuses to send this head.
        if (server === 'http/1.1') (response as ServerResponse).socket?.end(head);
        else {
          response.writeHead(200, { trailer: 'x-a', 'content-length': '2' });
          response.end('ok');
        }
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { method: 'GET', path: '/' });
      sent.body.end();
      expect((await (await sent.response).body.toArray()).join('')).toBe('ok');
    });

    it('streams an upload of 50 MB with bounded buffers', async () => {
      const target = await upstream(server, async (request, response) => {
        const { size, hash } = await readSlowly(request);
        response.end(`${size} ${hash}`);
      });
      const proxy = await proxyTo(target);
      const sent = await send(proxy.listener, client, { path: '/measured' });
      const chunks = (50 * MB) / CHUNK.length;
      const hash = await writeAll(sent.body, chunks);
      const { body } = await sent.response;
      expect((await body.toArray()).join('')).toBe(`${50 * MB} ${hash}`);
      const { bytes, violations, highWater, pauses } = proxy.measured!.request;
      expect([bytes, violations]).toEqual([50 * MB, 0]);
      expect(pauses).toBeGreaterThan(0);
      expect(highWater).toBeLessThan(MOST_BUFFERED);
    });

    it('does not read an upload that the upstream does not read, and serves others meanwhile', async () => {
      const resume = new Deferred<void>();
      const target = await upstream(server, async (request, response) => {
        if (request.url === '/other') {
          response.end('other');
          return;
        }
        await resume.promise;
        const { size } = await readSlowly(request);
        response.end(String(size));
      });
      const proxy = await proxyTo(target);
      const sent = await send(proxy.listener, client, { path: '/measured' });
      const written = writeAll(sent.body, (50 * MB) / CHUNK.length);
      await new Promise<void>((resolve) => {
        const poll = (): void => {
          if (proxy.measured === undefined) setImmediate(poll);
          else if (proxy.measured.request.pauses > 0) resolve();
          else proxy.measured.request.onPause = resolve;
        };
        poll();
      });
      const other = await send(proxy.listener, client, { method: 'GET', path: '/other' });
      other.body.end();
      expect((await (await other.response).body.toArray()).join('')).toBe('other');
      const { bytes, highWater } = proxy.measured!.request;
      // Kernel buffers of two connections, and no more.
      expect(bytes).toBeLessThan(30 * MB);
      expect(highWater).toBeLessThan(MOST_BUFFERED);
      resume.resolve();
      await written;
      expect((await (await sent.response).body.toArray()).join('')).toBe(String(50 * MB));
    });

    it('streams a download to a slow reader with bounded buffers', async () => {
      const hash = new Deferred<string>();
      const target = await upstream(server, async (_request, response) => {
        hash.resolve(await writeAll(response as Writable, (20 * MB) / CHUNK.length));
      });
      const proxy = await proxyTo(target);
      const sent = await send(proxy.listener, client, { method: 'GET', path: '/measured' });
      sent.body.end();
      const { body } = await sent.response;
      expect(await readSlowly(body)).toEqual({ size: 20 * MB, hash: await hash.promise });
      const { bytes, violations, highWater } = proxy.measured!.response!;
      expect([bytes, violations]).toEqual([20 * MB, 0]);
      expect(highWater).toBeLessThan(MOST_BUFFERED);
    });

    it('passes each event of a watch on at once', async () => {
      const next: Deferred<void>[] = [0, 1, 2, 3].map(() => new Deferred());
      const target = await upstream(server, async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (const [i, ready] of next.entries()) {
          (response as Writable).write(`{"event":${i}}\n`);
          await ready.promise;
        }
        response.end();
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { method: 'GET', path: '/?watch=true' });
      sent.body.end();
      const { body } = await sent.response;
      for (const [i, ready] of next.entries()) {
        await readUntil(body, `{"event":${i}}\n`);
        ready.resolve();
      }
      body.resume();
      await once(body, 'end');
    });

    it('streams both directions at the same time', async () => {
      const target = await upstream(server, (request, response) => {
        response.writeHead(200);
        (response as Writable).write('ready');
        request.pipe(response as Writable);
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { path: '/' });
      sent.body.write('first');
      const { body } = await sent.response;
      await readUntil(body, 'ready');
      for (const word of ['second', 'third']) {
        const seen = readUntil(body, word);
        sent.body.write(word);
        await seen;
      }
      body.resume();
      sent.body.end();
      await once(body, 'end');
    });

    it('passes an early answer on although the upload goes on', async () => {
      const target = await upstream(server, (_request, response) => {
        response.writeHead(413);
        response.end('too large');
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { path: '/' });
      sent.body.on('error', () => {});
      sent.body.write(CHUNK);
      const { status, body } = await sent.response;
      expect(status).toBe(413);
      expect((await body.toArray()).join('')).toBe('too large');
      sent.abort();
    });

    it('aborts the upstream request when the client aborts its upload', async () => {
      const asked = new Deferred<void>();
      const aborted = new Deferred<void>();
      const target = await upstream(server, (request) => {
        request.on('data', () => asked.resolve());
        request.on('error', () => {});
        request.on('aborted', () => aborted.resolve());
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { path: '/' });
      sent.body.on('error', () => {});
      sent.body.write(CHUNK);
      await asked.promise;
      sent.abort();
      await aborted.promise;
    });

    it('aborts the upstream response when the client aborts its download', async () => {
      const aborted = new Deferred<void>();
      const target = await upstream(server, (_request, response) => {
        response.on('close', () => aborted.resolve());
        (response as Writable).write(CHUNK);
      });
      const { listener } = await proxyTo(target);
      const sent = await send(listener, client, { method: 'GET', path: '/' });
      sent.body.on('error', () => {});
      sent.body.end();
      const { body } = await sent.response;
      body.on('error', () => {});
      await once(body, 'data');
      sent.abort();
      await aborted.promise;
    });

    it('answers 502 when the upstream dies before its response, and aborts the answer when it dies later', async () => {
      const asked: Deferred<void>[] = [new Deferred(), new Deferred()];
      const target = await upstream(server, (request, response) => {
        if (request.url === '/before') {
          request.on('data', () => asked[0]!.resolve());
          return;
        }
        (response as Writable).write(CHUNK);
        asked[1]!.resolve();
      });
      const { listener } = await proxyTo(target);
      const before = await send(listener, client, { path: '/before' });
      before.body.on('error', () => {});
      before.body.write(CHUNK);
      await asked[0]!.promise;
      target.kill();
      expect((await before.response).status).toBe(502);
      const after = await send(listener, client, { method: 'GET', path: '/after' });
      after.body.on('error', () => {});
      after.body.end();
      const { body } = await after.response;
      const failed = new Deferred<void>();
      body.on('error', () => failed.resolve());
      await once(body, 'data');
      await asked[1]!.promise;
      target.kill();
      body.resume();
      await failed.promise;
      await closed(body);
      expect(body.readableEnded).toBe(false);
    });

    it('answers 502 when the upstream cannot be reached', async () => {
      const target = await upstream(server, () => {});
      const port = Number(new URL(target.url).port);
      await cleanUp();
      const { listener } = await proxyTo({ url: `https://127.0.0.1:${port}` });
      const sent = await send(listener, client, { method: 'GET', path: '/x' });
      sent.body.end();
      const { status, body } = await sent.response;
      expect(status).toBe(502);
      expect((await body.toArray()).join('')).toBe(
        `Get "https://127.0.0.1:${port}/x": dial tcp 127.0.0.1:${port}: connect: connection refused`,
      );
    });
  });
}
