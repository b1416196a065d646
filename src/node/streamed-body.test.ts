import { once } from 'node:events';
import type { ClientHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { ByteSink } from '../server/http/byte-stream.ts';
import type { Answer, Handler } from '../server/http/exchange.ts';
import { CODE } from './http2/frames.ts';
import { data, RawClient, request } from './http2/wire.fixtures.ts';
import { h2, listen, raw } from './listener.fixtures.ts';
import type { Listener, ListenerOptions } from './listener.ts';
import { cleanUp, cleanups } from './proxy.fixtures.ts';

afterEach(cleanUp);

async function serve(handler: Handler, options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen(handler, options);
  cleanups.push(() => listener.stop());
  return listener;
}

/** Takes everything, or nothing more after the first chunk. */
class CollectingSink implements ByteSink {
  text = '';
  readonly first: Deferred<void> = new Deferred();
  readonly ended: Deferred<'end' | 'abort'> = new Deferred();
  readonly #takes: boolean;
  #drain: () => void = () => {};

  constructor(takes = true) {
    this.#takes = takes;
  }

  write(chunks: readonly Uint8Array[]): boolean {
    this.text += Buffer.concat(chunks).toString();
    this.first.resolve();
    return this.#takes;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  end(): void {
    this.ended.resolve('end');
  }

  abort(): void {
    this.ended.resolve('abort');
  }

  onClose(): void {}

  drain(): void {
    this.#drain();
  }
}

const never = (): Promise<Answer> => new Promise(() => {});

/** Begins a POST whose body continues, on either protocol. */
async function post(
  listener: Listener,
  protocol: 'h2' | 'http/1.1',
  headers: Record<string, string> = {},
): Promise<Duplex> {
  if (protocol === 'http/1.1') {
    const socket = await raw(listener, 'http/1.1');
    cleanups.push(() => socket.destroy());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n${lines.join('')}\r\n`);
    return socket;
  }
  const session = await h2(listener);
  cleanups.push(() => session.destroy());
  const stream: ClientHttp2Stream = session.request({ ':method': 'POST', ...headers }, { endStream: false });
  stream.on('error', () => {});
  return stream;
}

for (const protocol of ['http/1.1', 'h2'] as const) {
  describe(`a streamed request body over ${protocol}`, () => {
    it('is read after 100 Continue', async () => {
      const sink = new CollectingSink();
      const listener = await serve((incoming) => {
        incoming.bodySource().pipeTo(sink);
        return never();
      });
      const client = await post(listener, protocol, { expect: '100-continue' });
      if (protocol === 'h2') await once(client, 'continue');
      else expect(String((await once(client, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      client.write('x'.repeat(1000));
      if (protocol === 'h2') client.end();
      expect(await sink.ended.promise).toBe('end');
      expect(sink.text.length).toBe(1000);
    });

    it('is aborted if the client sends too slowly, whatever it sends in between', async () => {
      const clock = new VirtualClock();
      const sink = new CollectingSink();
      const listener = await serve(
        (incoming) => {
          incoming.bodySource().pipeTo(sink);
          return never();
        },
        { clock },
      );
      const client = await post(listener, protocol);
      client.write('x');
      await sink.first.promise;
      await clock.advance(29_000);
      const length = sink.text.length;
      client.write('y');
      while (sink.text.length === length) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(4_000);
      expect(await sink.ended.promise).toBe('abort');
    });

    it('is not aborted while its sink is full', async () => {
      const clock = new VirtualClock();
      const sink = new CollectingSink(false);
      const listener = await serve(
        (incoming) => {
          incoming.bodySource().pipeTo(sink);
          return never();
        },
        { clock },
      );
      const client = await post(listener, protocol);
      client.write('x');
      await sink.first.promise;
      await clock.advance(600_000);
      expect(sink.ended.settled).toBe(false);
      sink.drain();
      client.write('y'.repeat(999));
      if (protocol === 'h2') client.end();
      sink.drain();
      while (sink.text.length < 1000) {
        sink.drain();
        await new Promise((resolve) => setImmediate(resolve));
      }
      sink.drain();
      expect(await sink.ended.promise).toBe('end');
    });

    it('is aborted with the answer, and the client gets the whole answer', async () => {
      const sink = new CollectingSink();
      const listener = await serve(async (incoming) => {
        incoming.bodySource().pipeTo(sink);
        await sink.first.promise;
        return { kind: 'bytes', status: 403, headers: {}, body: Buffer.from('no') };
      });
      const client = await post(listener, protocol);
      client.write('x');
      let received = '';
      client.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      expect(await sink.ended.promise).toBe('abort');
      while (!received.endsWith('no')) await once(client, 'data');
    });

    it('is empty without a body', async () => {
      const sink = new CollectingSink();
      const listener = await serve((incoming) => {
        incoming.bodySource().pipeTo(sink);
        return { kind: 'bytes', status: 200, headers: {}, body: Buffer.alloc(0) };
      });
      if (protocol === 'h2') (await post(listener, 'h2')).end();
      else {
        const socket = await raw(listener, 'http/1.1');
        cleanups.push(() => socket.destroy());
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      }
      expect(await sink.ended.promise).toBe('end');
      expect(sink.text).toBe('');
    });
  });
}

describe('the window of a streamed HTTP/2 body', () => {
  it('is not updated while the sink is full, and a client that ignores it gets a stream error', async () => {
    const sink = new CollectingSink(false);
    const listener = await serve(
      (incoming) => {
        incoming.bodySource().pipeTo(sink);
        return never();
      },
      { limits: { streamWindowBytes: 30_000 } },
    );
    const client = await RawClient.connect(listener);
    cleanups.push(() => client.socket.destroy());
    client.send(
      request(1, { method: 'POST', open: true }),
      data(1, Buffer.alloc(16_000)),
      data(1, Buffer.alloc(14_000)),
    );
    await sink.first.promise;
    await client.settle('settled!');
    expect(client.frames.some((frame) => frame.type === 8 && frame.stream === 1)).toBe(false);
    client.send(data(1, Buffer.alloc(1)));
    expect(await client.resetCode(1)).toBe(CODE.flowControlError);
    expect(await sink.ended.promise).toBe('abort');
  });
});
