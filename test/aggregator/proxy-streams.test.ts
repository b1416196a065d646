/** Bodies and watches through the proxy. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { certificates } from '../../src/node/listener.fixtures.ts';
import { type Aggregated, cleanUp, httpBackend, PATH, startAggregated, TOKEN, until } from './proxy.fixtures.ts';

const sessions: ClientHttp2Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await cleanUp();
});

const CHUNK = Buffer.alloc(64 * 1024, 7);
const CHUNKS = 64;

async function open({ listener }: Aggregated): Promise<ClientHttp2Session> {
  const { ca } = await certificates();
  const session = connect(listener.url, { ca: ca.certificatePem });
  session.on('error', () => {});
  sessions.push(session);
  return session;
}

const asAda = (headers: Record<string, string>): Record<string, string> => ({
  authorization: `Bearer ${TOKEN}`,
  ':path': PATH,
  ...headers,
});

async function writeAll(out: Writable): Promise<void> {
  for (let i = 0; i < CHUNKS; i++) if (!out.write(CHUNK)) await once(out, 'drain');
  out.end();
}

async function digest(body: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of body as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

const EXPECTED = ((): string => {
  const hash = createHash('sha256');
  for (let i = 0; i < CHUNKS; i++) hash.update(CHUNK);
  return hash.digest('hex');
})();

for (const protocol of ['h2', 'http/1.1'] as const) {
  describe(`a server behind the proxy over ${protocol}`, () => {
    it('gets and sends a body of 4 MB unchanged', async () => {
      const backend = await httpBackend(protocol, async (request, response) => {
        if (request.method === 'POST') response.end(await digest(request));
        else await writeAll(response as Writable);
      });
      const session = await open(await startAggregated({ addresses: [backend.address] }));
      const upload = session.request(asAda({ ':method': 'POST' }), { endStream: false });
      const [, answer] = await Promise.all([writeAll(upload), upload.toArray()]);
      expect(Buffer.concat(answer).toString()).toBe(EXPECTED);
      expect(await digest(session.request(asAda({})))).toBe(EXPECTED);
    });

    it('sends each event of a watch at once, without a deadline, until the client leaves', async () => {
      const watches: Writable[] = [];
      let closed = 0;
      const backend = await httpBackend(protocol, (_request, response) => {
        response.on('close', () => closed++);
        response.writeHead(200, { 'content-type': 'application/json' });
        (response as unknown as { flushHeaders?(): void }).flushHeaders?.();
        watches.push(response as Writable);
      });
      const aggregated = await startAggregated({ addresses: [backend.address] });
      const session = await open(aggregated);
      const seen: string[] = ['', '', ''];
      const streams = seen.map((_, i) => {
        const stream = session.request(asAda({ ':path': `${PATH}?watch=true` }));
        stream.on('error', () => {});
        stream.on('data', (chunk: Buffer) => {
          seen[i] += chunk.toString();
        });
        return stream;
      });
      await until(() => watches.length === 3);
      for (const event of ['{"a":1}\n', '{"b":2}\n']) {
        const before = seen[0];
        for (const watch of watches) watch.write(event);
        await until(() => seen.every((text) => text === `${before}${event}`));
        await aggregated.clock.advance(120_000);
      }
      streams[0]?.close();
      await until(() => closed === 1);
      session.destroy();
      await until(() => closed === 3);
    });
  });
}
