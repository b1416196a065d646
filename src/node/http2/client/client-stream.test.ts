import { describe, expect, it } from 'vitest';
import { CODE, FLAG, FRAME, readUint32, SETTING } from '../frames.ts';
import { block, data, frame, reset, settings, turns, windowUpdate } from '../wire.fixtures.ts';
import { ManualSource, type Reply, response, scripted, WINDOW } from './scripted-server.fixtures.ts';

describe('a request', () => {
  it('has its pseudo-header fields first; a host replaces the authority', async () => {
    const { log, ask } = await scripted();
    await ask({ method: 'PUT', path: '/a?b=c', authority: 'server:1', headers: { accept: 'x', 'x-many': ['1', '2'] } });
    await ask({ headers: { host: 'other' } });
    const [first, second] = log.frames.filter(({ type }) => type === FRAME.headers);
    expect([Object.keys(first!.fields!), first!.flags]).toEqual([
      [':method', ':scheme', ':authority', ':path', 'accept', 'x-many'],
      FLAG.endHeaders | FLAG.endStream,
    ]);
    expect(first!.fields).toMatchObject({
      ':method': 'PUT',
      ':scheme': 'https',
      ':authority': 'server:1',
      ':path': '/a?b=c',
    });
    expect(second!.fields).toMatchObject({ ':method': 'GET', ':authority': 'other' });
    expect(second!.fields).not.toHaveProperty('host');
  });

  it('repeats headers, several of one name, too, as one byte each', async () => {
    const { log, ask } = await scripted();
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': ['system:masters', 'system:authenticated'] };
    for (let i = 0; i < 3; i++) await ask({ path: '/p', headers });
    const sizes = log.frames.filter(({ type }) => type === FRAME.headers).map(({ payload }) => payload.length);
    // Method, scheme, authority, user, two groups; the path is two bytes longer than its text.
    expect(sizes.slice(1)).toEqual([10, 10]);
  });

  it('uses no table that the server does not allow', async () => {
    const { log, ask } = await scripted([SETTING.headerTableSize, 0]);
    for (let i = 0; i < 2; i++) await ask({ headers: { 'x-remote-user': 'jane' } });
    const [first, second] = log.frames.filter(({ type }) => type === FRAME.headers);
    expect(first!.payload[0]).toBe(0x20);
    expect(second!.payload.length).toBe(first!.payload.length - 1);
  });

  it('with bytes has their length, and ends with them', async () => {
    const { log, ask } = await scripted();
    await ask({ method: 'POST', body: Buffer.from('hello') });
    await ask({ method: 'POST', body: Buffer.alloc(0) });
    const [first, second] = log.frames.filter(({ type }) => type === FRAME.headers);
    expect([first!.fields?.['content-length'], first!.flags & FLAG.endStream]).toEqual(['5', 0]);
    expect([log.dataOf(1).toString(), (await log.end(1)).type]).toEqual(['hello', FRAME.data]);
    expect([second!.fields?.['content-length'], second!.flags & FLAG.endStream]).toEqual(['0', FLAG.endStream]);
  });

  it('is refused if HTTP does not allow a header, and leaves the table as it was', async () => {
    const { ask, connection, log } = await scripted();
    await expect(ask({ headers: { a: 'x\n' } })).rejects.toThrow('HTTP does not allow');
    await expect(ask({ headers: { 'A b': 'x' } })).rejects.toThrow('HTTP does not allow');
    await ask();
    expect([connection.active, log.count(FRAME.headers)]).toEqual([1, 1]);
  });

  it('sends no more than the windows of the stream and of the connection, and its source waits', async () => {
    const { send, ask, log } = await scripted([SETTING.initialWindowSize, 1_000]);
    const body = new ManualSource();
    await ask({ method: 'POST', body });
    let drained = 0;
    body.sink.onDrain(() => drained++);
    expect(body.sink.write([Buffer.alloc(60_000, 'a')])).toBe(true);
    expect(body.sink.write([Buffer.alloc(10_000, 'b')])).toBe(false);
    await turns();
    expect([log.dataOf(1).length, drained]).toEqual([1_000, 0]);
    await send(settings([SETTING.initialWindowSize, 3_000]));
    expect(log.dataOf(1).length).toBe(3_000);
    await send(windowUpdate(1, 1_000_000));
    expect([log.dataOf(1).length, drained]).toEqual([65_535, 0]);
    await send(windowUpdate(0, 1_000_000));
    expect([log.dataOf(1).length, drained]).toEqual([70_000, 1]);
    body.sink.end();
    await turns();
    expect((await log.end(1)).type).toBe(FRAME.data);
  });

  it('whose window becomes too large is reset', async () => {
    const { send, ask, log } = await scripted();
    const asked = await ask({ method: 'POST', body: new ManualSource() });
    await send(windowUpdate(1, 2 ** 31 - 1));
    expect([await log.resetCode(1), asked.events]).toEqual([CODE.flowControlError, ['failed', 'closed']]);
  });

  it('whose body is aborted is cancelled', async () => {
    const { ask, log } = await scripted();
    const body = new ManualSource();
    const asked = await ask({ method: 'POST', body });
    body.sink.abort();
    await turns();
    expect([await log.resetCode(1), asked.message, asked.events]).toEqual([
      CODE.cancel,
      'the request body was aborted',
      ['failed', 'closed'],
    ]);
  });
});

describe('a response', () => {
  it('may come in several header frames, after informational ones, and with trailers', async () => {
    const { send, ask } = await scripted();
    const asked = await ask();
    const head = block({ ':status': '200', 'x-a': '1' });
    await send(
      response(1, { status: '103' }),
      frame(FRAME.headers, 0, 1, head.subarray(0, 5)),
      frame(FRAME.continuation, FLAG.endHeaders, 1, head.subarray(5)),
      data(1, 'body'),
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, block({ 'x-trailer': '1' })),
    );
    expect([asked.events, asked.sink.text, asked.sink.outcome]).toEqual([['answered 200', 'closed'], 'body', 'ended']);
    expect(asked.response?.headers).toEqual({ 'x-a': '1' });
  });

  it('keeps several headers of one name apart', async () => {
    const { send, ask } = await scripted();
    const asked = await ask();
    const fields = [
      ':status',
      '200',
      'warning',
      '299 - "a, b"',
      'warning',
      '299 - "c"',
      'constructor',
      'x',
      '__proto__',
      'y',
    ];
    await send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, block(fields)));
    const headers = asked.response?.headers ?? {};
    expect([headers['warning'], headers['constructor'], Object.keys(headers)]).toEqual([
      ['299 - "a, b"', '299 - "c"'],
      'x',
      ['warning', 'constructor'],
    ]);
  });

  it('of a short declared length comes with the first bytes of its body', async () => {
    const { send, ask } = await scripted();
    const asked = await ask();
    await send(response(1, { headers: { 'content-length': '4' } }));
    expect(asked.events).toEqual([]);
    await send(data(1, 'bo'));
    expect([asked.events, asked.sink.text]).toEqual([['answered 200'], 'bo']);
    await send(data(1, 'dy', true));
    expect([asked.events, asked.sink.text]).toEqual([['answered 200', 'closed'], 'body']);
    const broken = await ask();
    await send(response(3, { headers: { 'content-length': '4' } }), reset(3, CODE.internalError));
    expect(broken.events).toEqual(['failed', 'closed']);
    const long = await ask();
    await send(response(5, { headers: { 'content-length': '100000' } }));
    expect(long.events).toEqual(['answered 200']);
  });

  it('of HEAD may declare a length', async () => {
    const { send, ask } = await scripted();
    const asked = await ask({ method: 'HEAD' });
    await send(response(1, { headers: { 'content-length': '5' }, ends: true }));
    expect([asked.events, asked.sink.outcome]).toEqual([['answered 200', 'closed'], 'ended']);
  });

  const malformed: [name: string, head: Reply | Buffer, rest?: Buffer][] = [
    ['without a status', frame(FRAME.headers, FLAG.endHeaders, 1, block({ a: 'b' }))],
    ['with a status that is none', { status: '2000' }],
    ['with 101', { status: '101' }],
    ['that ends with an informational one', { status: '100', ends: true }],
    ['with a connection header', { headers: { connection: 'close' } }],
    ['with another pseudo-header field', { headers: { ':path': '/' } }],
    ['with an upper-case name', { headers: { 'X-A': '1' } }],
    ['with a line break in a value', { headers: { a: 'b\r\nc: d' } }],
    ['with a length that is none', { headers: { 'content-length': '-1' } }],
    ['that is shorter than declared', { headers: { 'content-length': '5' } }, data(1, 'four', true)],
    ['that is longer than declared', { headers: { 'content-length': '3' } }, data(1, 'four')],
    ['without its declared body', { headers: { 'content-length': '3' }, ends: true }],
    ['with a body that 204 cannot have', { status: '204' }, data(1, 'x')],
    ['with trailers that do not end it', {}, frame(FRAME.headers, FLAG.endHeaders, 1, block({ a: 'b' }))],
    ['with a second status', {}, response(1, { ends: true })],
  ];

  it.each(malformed)('%s is a stream error', async (_name, head, rest: Buffer = Buffer.alloc(0)) => {
    const { send, ask, log, connection } = await scripted();
    const asked = await ask();
    await send(Buffer.isBuffer(head) ? head : response(1, head), rest);
    expect([await log.resetCode(1), asked.events.slice(-2)]).toEqual([CODE.protocolError, ['failed', 'closed']]);
    expect([asked.message, connection.isUsable]).toEqual(['stream error: stream ID 1; PROTOCOL_ERROR', true]);
    // A response that cannot have a body was complete for its reader.
    if (asked.response !== undefined)
      expect(asked.sink.outcome).toBe(asked.response.status === 204 ? 'ended' : 'aborted');
  });

  it('with too many header bytes fails alone, and the table follows it', async () => {
    const { send, ask } = await scripted();
    const [first, second] = [await ask(), await ask()];
    const value = 'v'.repeat(10_000);
    const fields = [':status', '200', ...Array.from({ length: 10 }, (_, i) => [`x-${i}`, value]).flat()];
    const bytes = block(fields);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 16_000) {
      const isLast = at + 16_000 >= bytes.length;
      const type = at === 0 ? FRAME.headers : FRAME.continuation;
      pieces.push(frame(type, isLast ? FLAG.endHeaders : 0, 1, bytes.subarray(at, at + 16_000)));
    }
    await send(...pieces.slice(0, 4), ...pieces.slice(4));
    expect(first.message).toContain('http2: ');
    await send(response(3, { ends: true }));
    expect(second.events.at(-1)).toBe('closed');
  });

  it('is not read before it is piped, nor while its sink is full; windows are returned by halves', async () => {
    const { send, ask, log } = await scripted();
    const asked = await ask({}, false);
    const updates = (): number[] =>
      log.frames
        .filter(({ type, stream }) => type === FRAME.windowUpdate && stream === 1)
        .map(({ payload }) => readUint32(payload, 0));
    const pieces = Array.from({ length: 5 }, () => data(1, Buffer.alloc(12_000)));
    await send(response(1), ...pieces);
    expect(updates()).toEqual([]);
    asked.response?.pipeTo(asked.sink);
    await turns();
    expect(updates()).toEqual([60_000]);
    asked.sink.isFull = true;
    await send(...pieces);
    expect([updates(), asked.sink.chunks.length]).toEqual([[60_000], 2]);
    asked.sink.isFull = false;
    asked.sink.drain();
    await send(data(1, 'end', true));
    expect(updates()).toEqual([60_000, 60_000]);
    expect([Buffer.concat(asked.sink.chunks).length, asked.events.at(-1)]).toEqual([120_003, 'closed']);
  });

  it('that exceeds its window is reset', async () => {
    const { send, ask, log } = await scripted();
    const asked = await ask({}, false);
    await send(response(1), ...Array.from({ length: WINDOW / 10_000 + 1 }, () => data(1, Buffer.alloc(10_000))));
    expect([await log.resetCode(1), asked.events]).toEqual([
      CODE.flowControlError,
      ['answered 200', 'failed', 'closed'],
    ]);
  });

  it('is over when its reader has it, also after its stream', async () => {
    const { send, ask, connection } = await scripted();
    const asked = await ask();
    asked.sink.isFull = true;
    await send(response(1), data(1, 'one'), data(1, 'two', true));
    expect([asked.events, connection.active, asked.sink.outcome]).toEqual([['answered 200'], 0, 'open']);
    asked.sink.isFull = false;
    asked.sink.drain();
    expect([asked.events, asked.sink.text, asked.sink.outcome]).toEqual([
      ['answered 200', 'closed'],
      'onetwo',
      'ended',
    ]);
  });

  it('whose reader leaves is cancelled', async () => {
    const { send, ask, log } = await scripted();
    const asked = await ask();
    await send(response(1), data(1, 'x'));
    asked.sink.close();
    await turns();
    expect([await log.resetCode(1), asked.events]).toEqual([CODE.cancel, ['answered 200', 'failed', 'closed']]);
  });

  it('whose reader leaves with the last bytes is cancelled once', async () => {
    const { send, ask, connection } = await scripted();
    const [asked, other] = [await ask(), await ask()];
    asked.sink.write = () => {
      asked.sink.close();
      return false;
    };
    await send(response(1), data(1, 'x', true));
    expect([asked.events, connection.active]).toEqual([['answered 200', 'failed', 'closed'], 1]);
    await send(response(3, { ends: true }));
    expect([other.events.at(-1), connection.active]).toEqual(['closed', 0]);
  });

  it('aborts the sink that gets it after its failure', async () => {
    const { send, ask, socket } = await scripted();
    const asked = await ask({}, false);
    await send(response(1), data(1, 'x'));
    socket.destroy();
    await turns();
    asked.response?.pipeTo(asked.sink);
    expect([asked.sink.outcome, asked.sink.text]).toEqual(['aborted', '']);
  });
});
