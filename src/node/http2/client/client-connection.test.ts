import { describe, expect, it } from 'vitest';
import { NotProcessedError, NotSentError, StreamResetError } from '../../outbound/errors.ts';
import { CODE, FLAG, FRAME, goaway, SETTING } from '../frames.ts';
import { data, frame, ping, reset, settings, turns } from '../wire.fixtures.ts';
import { ManualSource, Recorded, response, scripted } from './scripted-server.fixtures.ts';

describe('a client connection', () => {
  it('sends its preface, SETTINGS and the window of the connection first', async () => {
    const { log, events } = await scripted();
    expect(log.frames.slice(0, 3).map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.settings, 0],
      [FRAME.windowUpdate, 0],
      [FRAME.settings, FLAG.ack],
    ]);
    expect(events).toEqual(['max Infinity']);
  });

  it('opens streams in the order of their numbers, and sends no request that was cancelled before', async () => {
    const { log, connection, ask } = await scripted();
    const [first, second] = [ask({ path: '/1' }), ask({ path: '/2' })];
    const third = ask({ path: '/3' });
    (await second).stream.cancel(new Error('x'));
    await Promise.all([first, third]);
    const sent = log.frames.filter(({ type }) => type === FRAME.headers);
    expect(sent.map(({ stream, fields }) => [stream, fields?.[':path']])).toEqual([
      [1, '/1'],
      [3, '/2'],
      [5, '/3'],
    ]);
    const unsent = connection.send(
      { method: 'GET', path: '/4', authority: 'a', headers: {}, body: undefined },
      await first,
    );
    unsent.cancel(new Error('x'));
    await turns();
    expect([log.count(FRAME.headers), connection.active]).toEqual([3, 2]);
  });

  it('writes its only request at once, and further ones of the same turn together', async () => {
    const { log, socket, connection } = await scripted();
    const request = { method: 'GET', path: '/', authority: 'a', headers: {}, body: undefined };
    const before = socket.writes;
    connection.send(request, new Recorded());
    expect([log.count(FRAME.headers), socket.writes - before]).toEqual([1, 1]);
    connection.send(request, new Recorded());
    connection.send(request, new Recorded());
    expect(log.count(FRAME.headers)).toBe(1);
    await turns();
    expect([log.count(FRAME.headers), socket.writes - before]).toEqual([3, 2]);
  });

  it('keeps the process alive while it has requests, and for a moment after the last', async () => {
    const { socket, clock, ask, send } = await scripted();
    await ask();
    await clock.advance(1_000);
    expect(socket.keepsAlive).toBe(true);
    await send(response(1, { ends: true }));
    await clock.advance(99);
    await ask();
    await clock.advance(1);
    // The timer fires during the second request.
    expect(socket.keepsAlive).toBe(true);
    await send(response(3, { ends: true }));
    await clock.advance(100);
    expect(socket.keepsAlive).toBe(false);
    await ask();
    expect(socket.keepsAlive).toBe(true);
    socket.destroy();
    await turns();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([undefined, Buffer.from('body')])(
    'has not sent a request whose only write fails with EPIPE',
    async (body) => {
      const { socket, ask } = await scripted();
      socket.refusal = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      const asked = await ask({ method: 'POST', body });
      expect(asked.error).toBeInstanceOf(NotSentError);
      expect(asked.message).toBe('EOF');
    },
  );

  it('may have sent a request if a later write fails, if the body is long, or if the error is another one', async () => {
    const pipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const later = await scripted();
    const sent = await later.ask();
    later.socket.refusal = pipe;
    later.connection.ping();
    await turns();
    const long = await scripted();
    long.socket.refusal = pipe;
    const partly = await long.ask({ method: 'POST', body: Buffer.alloc(20_000) });
    const reset = await scripted();
    reset.socket.refusal = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' });
    const broken = await reset.ask();
    for (const { error, message } of [sent, partly, broken]) {
      expect(error).not.toBeInstanceOf(NotSentError);
      expect(message).toBe('EOF');
    }
  });

  it('writes the head of a request whose body is not complete with the first bytes of the same turn', async () => {
    const { log, connection } = await scripted();
    const source = new ManualSource();
    connection.send({ method: 'POST', path: '/', authority: 'a', headers: {}, body: source }, new Recorded());
    expect(log.count(FRAME.headers)).toBe(0);
    source.sink.write([Buffer.from('a')]);
    await turns();
    expect([log.count(FRAME.headers), log.count(FRAME.data)]).toEqual([1, 1]);
  });

  it('reports the limit of streams, also when it changes', async () => {
    const { send, events } = await scripted([SETTING.maxConcurrentStreams, 10]);
    await send(settings([SETTING.maxConcurrentStreams, 5]), settings([SETTING.initialWindowSize, 1]));
    expect(events).toEqual(['max 10', 'max 5', 'max 5']);
  });

  it('fails a request that the server refused as not processed, and one that it reset as sent', async () => {
    const { send, ask, connection } = await scripted();
    const [refused, broken] = [await ask(), await ask()];
    await send(reset(1, CODE.refusedStream), reset(3, CODE.internalError));
    expect([refused.error instanceof NotProcessedError, broken.error instanceof StreamResetError]).toEqual([
      true,
      true,
    ]);
    expect(broken.message).toBe('stream error: stream ID 3; INTERNAL_ERROR; received from peer');
    expect([refused.events, broken.events]).toEqual([
      ['failed', 'closed'],
      ['failed', 'closed'],
    ]);
    expect([connection.active, connection.isUsable]).toEqual([0, true]);
  });

  it('after GOAWAY fails the streams that were not processed, finishes the others, and closes', async () => {
    const { send, ask, connection, log, events, socket } = await scripted();
    const [first, second] = [await ask(), await ask()];
    await send(goaway(1, CODE.noError));
    expect([first.events, second.error instanceof NotProcessedError, connection.isUsable]).toEqual([[], true, false]);
    expect(() =>
      connection.send({ method: 'GET', path: '/', authority: 'a', headers: {}, body: undefined }, first),
    ).toThrow(NotSentError);
    await send(response(1), data(1, 'x', true));
    expect([first.events, first.sink.text]).toEqual([['answered 200', 'closed'], 'x']);
    expect([await log.goaway(), socket.writableEnded, events.at(-1)]).toEqual([CODE.noError, true, 'retired']);
  });

  it('closes a socket that its server does not close, after a second', async () => {
    const { connection, socket, clock, events } = await scripted();
    connection.close();
    await turns();
    expect([socket.writableEnded, socket.destroyed]).toEqual([true, false]);
    await clock.advance(1_000);
    await turns();
    expect([socket.destroyed, events]).toEqual([true, ['max Infinity', 'retired', 'retired', 'closed']]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails requests whose connection breaks: as not sent if their headers were not written', async () => {
    const { connection, socket, ask } = await scripted();
    const sent = await ask();
    const unsent = ask();
    socket.destroy();
    await turns();
    expect(sent.error).toMatchObject({ connectionLost: true, retryable: false, message: 'EOF' });
    expect((await unsent).error).toBeInstanceOf(NotSentError);
    expect(connection.active).toBe(0);
  });

  it('fails a request once that the failure of another one cancels', async () => {
    const { connection, send, ask } = await scripted();
    const [first, second] = [await ask(), await ask()];
    first.failed = () => second.stream.cancel(new Error('with the first'));
    await send(goaway(0, CODE.noError));
    expect([second.events, second.message, connection.active]).toEqual([['failed', 'closed'], 'with the first', 0]);
  });

  it('names the GOAWAY in the failure of requests that it breaks', async () => {
    const { socket, send, ask } = await scripted();
    const sent = await ask();
    await send(goaway(1, CODE.enhanceYourCalm));
    socket.destroy();
    await turns();
    expect(sent.message).toBe(
      'http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=ENHANCE_YOUR_CALM',
    );
  });

  it('ignores the frames of a request that was cancelled', async () => {
    const { send, ask, log, connection } = await scripted();
    const cancelled = await ask();
    cancelled.stream.cancel(new Error('no longer needed'));
    await turns();
    expect(await log.resetCode(1)).toBe(CODE.cancel);
    await send(response(1), data(1, 'x'), data(1, 'y', true));
    expect([cancelled.events, cancelled.message]).toEqual([['failed', 'closed'], 'no longer needed']);
    const next = await ask();
    await send(response(3, { ends: true }));
    expect([next.events, connection.isUsable]).toEqual([['answered 200', 'closed'], true]);
  });

  it('answers pings, and resets the rest of a body that the server does not need', async () => {
    const { send, ask, log } = await scripted();
    const body = new ManualSource();
    const asked = await ask({ method: 'POST', body });
    body.sink.write([Buffer.from('part')]);
    await send(ping('abcdefgh'), response(1, { status: '413', ends: true }));
    expect([asked.events, body.isClosed]).toEqual([['answered 413', 'closed'], true]);
    expect(await log.resetCode(1)).toBe(CODE.noError);
    const answer = await log.first(({ type, flags }) => type === FRAME.ping && (flags & FLAG.ack) !== 0);
    expect(answer.payload.toString()).toBe('abcdefgh');
    // The answer to the reset does no harm.
    await send(reset(1, CODE.noError));
  });
});

describe('a server that breaks the rules of a connection', () => {
  const push = frame(FRAME.pushPromise, FLAG.endHeaders, 1, Buffer.from([0, 0, 0, 2, 0x82]));
  const flood = (one: Buffer): Buffer => Buffer.concat(Array(10_001).fill(one));
  const cases: readonly (readonly [name: string, frames: Buffer, code: number])[] = [
    ['PUSH_PROMISE', push, CODE.protocolError],
    ['ENABLE_PUSH', settings([SETTING.enablePush, 1]), CODE.protocolError],
    ['a window that is too large', settings([SETTING.initialWindowSize, 2 ** 31]), CODE.flowControlError],
    ['HEADERS of a stream that is not open', response(9), CODE.protocolError],
    ['DATA of a stream that is not open', data(9, 'x'), CODE.protocolError],
    ['HEADERS of an even stream', response(2), CODE.protocolError],
    [
      'a header block that cannot be read',
      frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0xff])),
      CODE.compressionError,
    ],
    ['an interrupted header block', Buffer.concat([frame(FRAME.headers, 0, 1, ''), ping()]), CODE.protocolError],
    ['a frame that is too large', frame(FRAME.data, 0, 1, Buffer.alloc(16_385)), CODE.frameSizeError],
    ['a flood of pings', flood(ping()), CODE.enhanceYourCalm],
    ['a flood of settings', flood(settings()), CODE.enhanceYourCalm],
    ['a flood of empty DATA', Buffer.concat([response(1), flood(data(1, ''))]), CODE.enhanceYourCalm],
    ['a flood of informational responses', flood(response(1, { status: '103' })), CODE.enhanceYourCalm],
    ['a flood of unknown frames', flood(frame(0xee, 0, 0, 'x')), CODE.enhanceYourCalm],
    [
      'a flood of CONTINUATION',
      Buffer.concat([frame(FRAME.headers, 0, 1, ''), ...Array(20).fill(frame(FRAME.continuation, 0, 1, ''))]),
      CODE.enhanceYourCalm,
    ],
  ];

  it.each(cases)('%s: GOAWAY, the requests fail, and the socket closes', async (_name, frames, code) => {
    const { send, ask, log, connection, clock, socket } = await scripted();
    const asked = await ask();
    await send(frames);
    expect(await log.goaway()).toBe(code);
    expect(asked.error).toMatchObject({ connectionLost: true, retryable: false });
    expect([asked.events.slice(-2), connection.active, connection.isUsable]).toEqual([['failed', 'closed'], 0, false]);
    await clock.advance(1_000);
    await turns();
    expect([socket.destroyed, clock.pendingTimers]).toEqual([true, 0]);
  });
});
