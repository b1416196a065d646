import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { TransportError } from '../../base/errors.ts';
import { cleanUp, cleanups, type Upstream, type UpstreamHandler, upstream } from '../proxy.fixtures.ts';
import { failure, get, streamOf, textOf, transportTo } from './client.fixtures.ts';

afterEach(cleanUp);

async function plainServer(handler: UpstreamHandler): Promise<Upstream> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, kill: () => server.closeAllConnections() };
}

for (const protocol of ['h2', 'http/1.1', 'plain'] as const) {
  const serve = (handler: UpstreamHandler): Promise<Upstream> =>
    protocol === 'plain' ? plainServer(handler) : upstream(protocol, handler);

  describe(`a request over ${protocol}`, () => {
    it('has its method, path, headers and body, and the user agent', async () => {
      const server = await serve((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const { method, url, headers } = request;
          const body = Buffer.concat(chunks).toString();
          const { 'content-type': type, 'user-agent': agent, 'x-list': list } = headers;
          response.end(JSON.stringify({ method, url, type, agent, list, body }));
        });
      });
      const made = await transportTo(`${server.url}/prefix`);
      const response = await made.transport({
        method: 'POST',
        target: '/a?b=c',
        headers: { 'content-type': 'text/plain', 'x-list': ['1', '2'] },
        body: Buffer.from('hello'),
      });
      expect(JSON.parse(await textOf(response))).toEqual({
        method: 'POST',
        url: '/prefix/a?b=c',
        type: 'text/plain',
        agent: 'test',
        list: '1, 2',
        body: 'hello',
      });
    });

    it('gets a short body of known length as bytes, and the head of its response', async () => {
      const server = await serve((_request, response) => {
        response.setHeader('warning', ['299 - "a, b"', '299 - "c"'] as never);
        response.writeHead(409, { 'content-length': 2 });
        response.end('{}');
      });
      const { status, headers, body } = await get(await transportTo(server.url), '/');
      expect([status, headers['warning']]).toEqual([409, ['299 - "a, b"', '299 - "c"']]);
      expect(body).toBeInstanceOf(Uint8Array);
      expect(Buffer.from(body as Uint8Array).toString()).toBe('{}');
    });

    it('has no body for HEAD and 204', async () => {
      const server = await serve((request, response) => {
        response.writeHead(request.url === '/none' ? 204 : 200, request.url === '/none' ? {} : { 'content-length': 9 });
        response.end();
      });
      const made = await transportTo(server.url);
      expect((await get(made, '/none')).body).toEqual(new Uint8Array(0));
      expect((await made.transport({ method: 'HEAD', target: '/' })).body).toEqual(new Uint8Array(0));
    });

    it('streams its body as it arrives', async () => {
      const next = new Deferred<() => void>();
      const server = await serve((_request, response) => {
        (response as Writable).write('first');
        next.resolve(() => response.end('second'));
      });
      const read: string[] = [];
      for await (const chunk of streamOf(await get(await transportTo(server.url), '/'))) {
        read.push(Buffer.from(chunk).toString());
        (await next.promise)();
      }
      expect(read).toEqual(['first', 'second']);
    });

    it('does not read from the server while its reader does not', async () => {
      const chunk = Buffer.alloc(64 * 1024, 1);
      const blocks = 400;
      let written = 0;
      const blocked = new Deferred<void>();
      const server = await serve((_request, response) => {
        const out = response as Writable;
        const more = (): void => {
          while (written < blocks) {
            written++;
            if (!out.write(chunk)) {
              out.once('drain', more);
              // Nothing is taken for a while: the buffers are full.
              const now = written;
              setTimeout(() => written === now && blocked.resolve(), 200);
              return;
            }
          }
          out.end();
        };
        more();
      });
      const response = await get(await transportTo(server.url), '/');
      await blocked.promise;
      expect(written).toBeLessThan(blocks / 2);
      let bytes = 0;
      for await (const part of streamOf(response)) bytes += part.byteLength;
      expect(bytes).toBe(blocks * chunk.byteLength);
    });

    it('is cancelled when its reader leaves early', async () => {
      const cancelled = new Deferred<void>();
      const server = await serve((request, response) => {
        if (request.url === '/short') {
          response.end('ok');
          return;
        }
        (response as Writable).write('x');
        response.on('close', () => cancelled.resolve());
      });
      const made = await transportTo(server.url);
      for await (const _chunk of streamOf(await get(made, '/long'))) break;
      await cancelled.promise;
      expect(await textOf(await get(made, '/short'))).toBe('ok');
    });

    it('rejects with the reason of its signal, before and after the head', async () => {
      const asked = new Deferred<void>();
      const cancelled = new Deferred<void>();
      const server = await serve((request, response) => {
        if (request.url === '/never') {
          asked.resolve();
          return;
        }
        (response as Writable).write('x');
        response.on('close', () => cancelled.resolve());
      });
      const made = await transportTo(server.url);
      await expect(get(made, '/', { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early');
      const before = new AbortController();
      const pending = failure(get(made, '/never', { signal: before.signal }));
      await asked.promise;
      before.abort(new Error('before'));
      expect(await pending).toEqual(new Error('before'));
      const after = new AbortController();
      const body = streamOf(await get(made, '/', { signal: after.signal }))[Symbol.asyncIterator]();
      await body.next();
      const reading = failure(body.next());
      after.abort(new Error('after'));
      expect(await reading).toEqual(new Error('after'));
      await cancelled.promise;
    });

    it('rejects the reading of bytes that arrived before the abort', async () => {
      const server = await serve((_request, response) => {
        (response as Writable).write('x');
        response.end('y');
      });
      const abort = new AbortController();
      const body = streamOf(await get(await transportTo(server.url), '/', { signal: abort.signal }));
      abort.abort(new Error('late'));
      expect(await failure(body[Symbol.asyncIterator]().next())).toEqual(new Error('late'));
    });

    it('fails if the connection breaks in the middle of the body, and the next request connects again', async () => {
      const server = await serve((request, response) => {
        if (request.url === '/short') response.end('ok');
        else if (request.url === '/bytes') {
          response.writeHead(200, { 'content-length': 100 });
          (response as Writable).write('x');
        } else if (request.url === '/stream') (response as Writable).write('x');
        if (request.url !== '/short') setImmediate(() => server.kill());
      });
      const made = await transportTo(server.url);
      for (const target of ['/stream', '/bytes', '/nothing']) {
        const error = await failure(get(made, target).then(textOf));
        expect(error, target).toBeInstanceOf(TransportError);
        expect(error, target).toMatchObject({ retryable: true, connectionLost: true });
        expect((error as Error).message.split('Get "')).toHaveLength(2);
      }
      expect(await textOf(await get(made, '/short'))).toBe('ok');
      const write = made.transport({ method: 'POST', target: '/nothing', body: Buffer.from('x') });
      expect(await failure(write)).toMatchObject({ retryable: false, connectionLost: true });
    });

    it('fails when the transport stops, and leaves no connection', async () => {
      const asked = new Deferred<void>();
      const server = await serve((request, response) => {
        if (request.url === '/never') asked.resolve();
        else (response as Writable).write('x');
      });
      const made = await transportTo(server.url);
      const watch = streamOf(await get(made, '/'))[Symbol.asyncIterator]();
      await watch.next();
      const pending = failure(get(made, '/never'));
      await asked.promise;
      const reading = failure(watch.next());
      made.stop();
      for (const error of [await pending, await reading, await failure(get(made, '/'))])
        expect(error).toMatchObject({ message: 'the connection was stopped', retryable: false });
      await expect.poll(() => made.connections).toBe(0);
    });

    it('refuses headers that HTTP does not allow', async () => {
      const server = await serve((_request, response) => response.end());
      const made = await transportTo(server.url);
      const error = await failure(get(made, '/', { headers: { 'x-y': 'a\nb' } }));
      expect(error).toMatchObject({ keelsonError: 'TransportError', retryable: false });
      expect(await textOf(await get(made, '/'))).toBe('');
    });
  });
}

describe('a request to a server that is not there', () => {
  it('was not sent', async () => {
    const { url, close } = await plainServer((_request, response) => response.end()).then(async (server) => ({
      url: server.url,
      close: cleanUp,
    }));
    await close();
    const made = await transportTo(url);
    const error = await failure(made.transport({ method: 'POST', target: '/' }));
    expect(error).toMatchObject({ retryable: true, connectionLost: false });
    expect((error as Error).message).toMatch(/^Post "http:.*connect: connection refused$/);
  });
});
