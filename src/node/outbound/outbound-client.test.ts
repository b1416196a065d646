import { once } from 'node:events';
import { createServer as createTlsServer, type Server } from 'node:https';
import { createServer } from 'node:net';
import { createServer as createPlainTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { OutboundCall, OutboundClient } from '../../server/http/outbound.ts';
import { certificates, listen, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import { createOutboundClient } from './outbound-client.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function client(): OutboundClient {
  const made = createOutboundClient();
  stops.push(() => made.stop());
  return made;
}

async function serve(...args: Parameters<typeof listen>): Promise<Listener> {
  const listener = await listen(...args);
  stops.push(() => listener.stop());
  return listener;
}

async function callTo(listener: Listener, more: Partial<OutboundCall> = {}): Promise<OutboundCall> {
  const { ca } = await certificates();
  return {
    url: `${listener.url}/convert?timeout=30s`,
    ca: ca.certificatePem,
    body: encodeUtf8('{"a":1}'),
    contentType: 'application/json',
    timeoutMs: 10_000,
    answerBytes: 1000,
    ...more,
  };
}

describe('the outbound client', () => {
  it('posts and returns the answer', async () => {
    const listener = await serve(async (incoming) => {
      const body = await incoming.body(1000);
      const received = body.outcome === 'ok' ? decodeUtf8(body.bytes) : body.outcome;
      return text(`${incoming.method} ${incoming.target} ${incoming.header('content-type')} ${received}`, 201);
    });
    const answer = await client().post(await callTo(listener));
    expect(answer.status).toBe(201);
    expect(decodeUtf8(answer.body)).toBe('POST /convert?timeout=30s application/json {"a":1}');
  });

  it('connects to an address under another name, which the certificate must have', async () => {
    const listener = await serve(() => text('here'));
    const address = { host: '127.0.0.1', port: Number(new URL(listener.url).port) };
    const named = await callTo(listener, { url: 'https://localhost:443/', address });
    expect(decodeUtf8((await client().post(named)).body)).toBe('here');
    const stranger = await callTo(listener, { url: 'https://hook.ns.svc:443/', address });
    await expect(client().post(stranger)).rejects.toThrow(
      'Post "https://hook.ns.svc:443/": tls: failed to verify certificate: x509: certificate is valid for kubernetes, kubernetes.default, kubernetes.default.svc, kubernetes.default.svc.cluster.local, localhost, not hook.ns.svc',
    );
  });

  it('does not trust an authority that the call does not name, nor reuse a connection of another authority', async () => {
    const listener = await serve(() => text('here'));
    const caller = client();
    await caller.post(await callTo(listener));
    await expect(caller.post(await callTo(listener, { ca: '' }))).rejects.toThrow(
      'certificate signed by unknown authority',
    );
  });

  it('rejects an answer that is too large', async () => {
    const listener = await serve(() => text('x'.repeat(1001)));
    await expect(client().post(await callTo(listener))).rejects.toThrow('the answer is larger than 1000 bytes');
  });

  it('reports a refused connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const call = {
      url: `https://127.0.0.1:${port}/`,
      ca: '',
      body: encodeUtf8(''),
      contentType: '',
      timeoutMs: 9000,
      answerBytes: 9,
    };
    await expect(client().post(call)).rejects.toThrow(
      `Post "https://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
    await expect(client().post({ ...call, url: `https://localhost:${port}/` })).rejects.toThrow(
      new RegExp(`dial tcp (127\\.0\\.0\\.1|\\[::1\\]):${port}: connect: connection refused`),
    );
  });

  it('times out', async () => {
    const listener = await serve(() => new Promise(() => undefined));
    await expect(client().post(await callTo(listener, { timeoutMs: 20 }))).rejects.toThrow('context deadline exceeded');
  });

  it('times out on an answer that never ends', async () => {
    const { ca, server: keyed } = await certificates();
    const server = createTlsServer({ cert: keyed.certificatePem, key: keyed.keyPem }, (_, answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('{');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
    const call = {
      url,
      ca: ca.certificatePem,
      body: encodeUtf8(''),
      contentType: '',
      timeoutMs: 200,
      answerBytes: 999,
    };
    await expect(client().post(call)).rejects.toThrow('context deadline exceeded');
  });

  it('keeps its connection for the next call, and makes a new one after a restart of the server', async () => {
    const { ca, server: keyed } = await certificates();
    let connections = 0;
    const start = async (port: number): Promise<Server> => {
      const server = createTlsServer({ cert: keyed.certificatePem, key: keyed.keyPem }, (_, answer) => {
        answer.end('here');
      });
      server.on('secureConnection', () => connections++);
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return server;
    };
    const stop = async (server: Server): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    };
    const first = await start(0);
    const { port } = first.address() as { port: number };
    const call = {
      url: `https://127.0.0.1:${port}/`,
      ca: ca.certificatePem,
      body: encodeUtf8('{}'),
      contentType: 'application/json',
      timeoutMs: 10_000,
      answerBytes: 999,
    };
    const caller = client();
    for (let i = 0; i < 3; i++) expect(decodeUtf8((await caller.post(call)).body)).toBe('here');
    expect(connections).toBe(1);
    await Promise.all([caller.post(call), caller.post(call)]);
    expect(connections).toBe(2);
    await stop(first);
    const second = await start(port);
    stops.push(() => stop(second));
    // A call that is sent before the client has seen the end of its connection fails, as in Go.
    await vi.waitFor(async () => expect(decodeUtf8((await caller.post(call)).body)).toBe('here'));
    expect(connections).toBe(3);
  });

  it.each([
    ['before the answer', '', /^Post "https:[^"]+": EOF$/],
    [
      'inside the answer',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx',
      /^unexpected error when reading response body\. Please retry\. Original error: unexpected EOF$/,
    ],
  ])('reports a connection that the server closes %s', async (_title, answer, message) => {
    const { ca, server: keyed } = await certificates();
    const server = createPlainTlsServer({ cert: keyed.certificatePem, key: keyed.keyPem }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(async () => server.close());
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
    const call = {
      url,
      ca: ca.certificatePem,
      body: encodeUtf8(''),
      contentType: '',
      timeoutMs: 9000,
      answerBytes: 99,
    };
    await expect(client().post(call)).rejects.toThrow(message);
  });

  it.each([
    [302, 'GET /there '],
    [307, 'POST /there {"a":1}'],
  ])('follows a redirect with %i as Go does', async (status, received) => {
    const listener = await serve(async (incoming) => {
      if (incoming.target !== '/there')
        return { kind: 'bytes', status, headers: { location: '/there' }, body: encodeUtf8('') };
      const body = await incoming.body(1000);
      return text(`${incoming.method} ${incoming.target} ${body.outcome === 'ok' ? decodeUtf8(body.bytes) : ''}`);
    });
    expect(decodeUtf8((await client().post(await callTo(listener))).body)).toBe(received);
  });

  it('follows no redirect to plain HTTP, and sends credentials to no other host', async () => {
    let location = 'http://127.0.0.1:1/';
    const seen: (string | undefined)[] = [];
    const listener = await serve((incoming) => {
      seen.push(incoming.header('authorization'));
      if (incoming.target === '/there') return text('there');
      return { kind: 'bytes', status: 307, headers: { location }, body: encodeUtf8('') };
    });
    const call = await callTo(listener, { headers: { authorization: 'Bearer secret' } });
    await expect(client().post(call)).rejects.toThrow('the redirect does not lead to https');
    location = `https://localhost:${new URL(listener.url).port}/there`;
    expect((await client().post(call)).status).toBe(200);
    expect(seen).toEqual(['Bearer secret', 'Bearer secret', undefined]);
  });

  it('does not interrupt a call while many others with other authorities start', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listener = await serve(async (incoming) => {
      if (incoming.target === '/slow') await gate;
      return text('here');
    });
    const caller = client();
    const call = await callTo(listener);
    const slow = caller.post({ ...call, url: `${listener.url}/slow`, timeoutMs: 60_000 });
    for (let i = 1; i <= 70; i++) await caller.post({ ...call, ca: call.ca + '\n'.repeat(i) });
    release();
    expect(decodeUtf8((await slow).body)).toBe('here');
  });

  it('refuses calls after stop', async () => {
    const listener = await serve(() => text('here'));
    const caller = client();
    await caller.stop();
    await expect(caller.post(await callTo(listener))).rejects.toThrow('the server is shutting down');
  });
});
