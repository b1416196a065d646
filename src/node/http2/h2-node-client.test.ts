import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../base/random.fixtures.ts';
import { chunksOf } from '../../server/http/chunk-source.ts';
import type { Answer, Incoming } from '../../server/http/exchange.ts';
import { certificates, h2, listen, stopAll } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

const LIMIT = 3 * 1024 * 1024;
/** The bytes of every answer's body. */
const SOURCE = Buffer.alloc(LIMIT);
for (let i = 0; i < LIMIT; i += 4) SOURCE.writeInt32LE(Math.imul(i, 0x9e37_79b1), i);

const sum = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');

/** Reports the received request in headers, and sends the requested number of bytes in one of three kinds of answer. */
async function echo(incoming: Incoming): Promise<Answer> {
  const body = await incoming.body(LIMIT);
  if (body.outcome !== 'ok') return { kind: 'bytes', status: 413, headers: {}, body: new Uint8Array(0) };
  const headers: Record<string, string> = { 'x-sum': sum(body.bytes) };
  for (const name of incoming.headerNames())
    if (name.startsWith('x-')) headers[`y${name.slice(1)}`] = incoming.header(name)!;
  const size = Number(incoming.header('x-size'));
  const kind = incoming.header('x-kind');
  const bytes = SOURCE.subarray(0, size);
  const pieces = Array.from({ length: Math.ceil(size / 7_001) }, (_, i) => bytes.subarray(i * 7_001, (i + 1) * 7_001));
  if (kind === 'bytes') return { kind, status: 200, headers, body: bytes };
  if (kind === 'chunks') return { kind, status: 201, headers, chunks: chunksOf(pieces) };
  return {
    kind: 'stream',
    status: 202,
    headers,
    start(sink) {
      let at = 0;
      const pump = (): void => {
        while (at < pieces.length) if (!sink.write([pieces[at++]!])) return;
        sink.end();
      };
      sink.onDrain(pump);
      pump();
    },
  };
}

function sizeOf(random: Random): number {
  const most = random.pick([0, 1, 100, 16_384, 16_385, 70_000, 300_000, LIMIT]);
  return random.int(4) === 0 ? most : random.int(most + 1);
}

/** Any valid field value, without white space at its ends. */
function randomValue(random: Random): string {
  const size = random.pick([0, 1, 5, 30, 30, 200, 3_000]);
  const inside = Array.from({ length: random.int(size + 1) }, () => {
    const code = 0x20 + random.int(0xe0);
    return String.fromCharCode(code === 0x7f ? 0x7e : code);
  });
  return inside.join('').trim();
}

async function ask(session: ClientHttp2Session, random: Random): Promise<void> {
  const sent: Record<string, string> = {
    'x-size': String(sizeOf(random)),
    'x-kind': random.pick(['bytes', 'chunks', 'stream']),
  };
  for (let i = random.int(20); i > 0; i--) sent[`x-${random.int(60)}`] = randomValue(random);
  const body = SOURCE.subarray(0, random.int(3) === 0 ? 0 : sizeOf(random));
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': `/${'p'.repeat(random.int(500))}`,
      ...sent,
      ...(random.int(2) === 0 ? { 'content-length': String(body.length) } : {}),
    },
    { endStream: body.length === 0 && random.int(2) === 0 },
  );
  const hash = createHash('sha1');
  stream.on('data', (chunk: Buffer) => hash.update(chunk));
  const end = once(stream, 'end');
  if (!stream.writableEnded) stream.end(body);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  await end;
  expect(headers['x-sum']).toBe(sum(body));
  for (const [name, value] of Object.entries(sent)) expect([name, headers[`y${name.slice(1)}`]]).toEqual([name, value]);
  expect(hash.digest('hex')).toBe(sum(SOURCE.subarray(0, Number(sent['x-size']))));
  if (!stream.closed) await once(stream, 'close');
  expect(stream.rstCode).toBe(0);
}

describe('Node’s client', () => {
  it('gets every header and every byte, in both directions, with concurrent requests', async () => {
    const listener = await listen(echo);
    open.push(listener);
    const random = createRandom(11);
    const session = await h2(listener);
    for (let round = 0; round < 12; round++)
      await Promise.all(Array.from({ length: 1 + random.int(12) }, () => ask(session, random)));
    session.destroy();
  });

  it('gets them with a small table, small windows and changes of both meanwhile', async () => {
    const listener = await listen(echo);
    open.push(listener);
    const random = createRandom(12);
    const { ca } = await certificates();
    for (const headerTableSize of [0, 100, 4_096, 65_536]) {
      const session = connect(listener.url, {
        ca: ca.certificatePem,
        settings: { headerTableSize, initialWindowSize: 20_000, enablePush: false },
      });
      await once(session, 'connect');
      for (let round = 0; round < 6; round++) {
        const running = Array.from({ length: 4 }, () => ask(session, random));
        session.settings({
          headerTableSize: random.pick([0, 64, 500, 4_096, 10_000]),
          initialWindowSize: random.pick([16_000, 65_535, 200_000]),
        });
        await Promise.all(running);
      }
      session.destroy();
    }
  });
});
