import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import type { Answer, AnswerSink } from '../../server/http/exchange.ts';
import { text } from '../listener.fixtures.ts';
import { FRAME, WINDOW_LIMIT } from './frames.ts';
import { inMemory, request, turns, wide, windowUpdate } from './wire.fixtures.ts';

const ANSWERS: Readonly<Record<string, Answer>> = {
  bytes: text('a'),
  empty: { kind: 'bytes', status: 204, headers: {}, body: new Uint8Array() },
  stream: {
    kind: 'stream',
    status: 200,
    headers: {},
    start(sink) {
      sink.write([Buffer.from('a')]);
      sink.end();
    },
  },
};

describe('the flush of an HTTP/2 connection', () => {
  for (const [kind, answer] of Object.entries(ANSWERS))
    it(`writes the only answer of a connection at once if it comes later than its request: ${kind}`, async () => {
      const later = new Deferred<Answer>();
      const { send, socket, log } = inMemory(() => later.promise);
      send(wide(), request(1));
      await turns();
      const before = socket.writes;
      later.resolve(answer);
      await later.promise;
      expect([log.count(FRAME.headers, 1), socket.writes - before]).toEqual([1, 1]);
      await turns();
      expect(socket.writes - before).toBe(1);
    });

  it('reads all frames of a turn before it writes an answer that comes at once', async () => {
    const { send, socket, log } = inMemory(() => text('a'));
    send(wide());
    await turns();
    const before = socket.writes;
    send(request(1));
    send(windowUpdate(1, WINDOW_LIMIT), windowUpdate(1, WINDOW_LIMIT));
    expect(socket.writes).toBe(before);
    await turns();
    expect([log.count(FRAME.headers, 1), log.count(FRAME.resetStream, 1)]).toEqual([0, 1]);
    socket.destroy();
  });

  it('writes the answers to several requests of one read together', async () => {
    const { send, socket, log } = inMemory(() => text('a'));
    send(wide());
    await turns();
    const before = socket.writes;
    send(request(1), request(3), request(5));
    await turns();
    expect([log.count(FRAME.headers), socket.writes - before]).toEqual([3, 1]);
  });

  it('writes the head of an answer that goes on together with the chunks of the same turn', async () => {
    let sink: AnswerSink | undefined;
    const { send, socket, log } = inMemory(() => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start: (started) => {
        sink = started;
      },
    }));
    send(wide());
    await turns();
    const before = socket.writes;
    send(request(1));
    sink?.write([Buffer.from('a')]);
    expect(socket.writes).toBe(before);
    await turns();
    expect([log.count(FRAME.headers), log.count(FRAME.data), socket.writes - before]).toEqual([1, 1, 1]);
    socket.destroy();
  });

  it('resets an answer with a header that HTTP does not allow', async () => {
    const { send, socket, log, problems } = inMemory(() => ({ ...text('a'), headers: { 'a b': 'c' } }) as Answer);
    send(wide());
    await turns();
    send(request(1));
    await turns();
    expect([log.count(FRAME.headers, 1), log.count(FRAME.resetStream, 1), problems.length]).toEqual([0, 1, 1]);
    socket.destroy();
  });
});
