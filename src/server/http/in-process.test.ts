import { describe, expect, it } from 'vitest';
import { isBugError, isTransportError } from '../../base/errors.ts';
import { settle } from '../../base/virtual-clock.ts';
import { chunksOf } from './chunk-source.ts';
import type { Answer, AnswerSink, Incoming } from './exchange.ts';
import { inProcess } from './in-process.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function collect(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let all = '';
  for await (const chunk of body) all += new TextDecoder().decode(chunk);
  return all;
}

function streaming(start: (sink: AnswerSink) => void): Answer {
  return { kind: 'stream', status: 200, headers: {}, start };
}

describe('the in-process transport', () => {
  it('passes the request to the handler and returns the same bytes as the answer', async () => {
    let seen: Incoming | undefined;
    const body = bytes('hello');
    const send = inProcess((incoming) => {
      seen = incoming;
      return { kind: 'bytes', status: 201, headers: { a: 'b' }, body };
    });
    const response = await send({
      method: 'POST',
      target: '/api?x=1',
      headers: { 'impersonate-group': ['a', 'b'], accept: 'x' },
      body: bytes('abc'),
    });
    expect(response).toEqual({ status: 201, headers: { a: 'b' }, body });
    expect(response.body).toBe(body);
    expect(seen).toMatchObject({ method: 'POST', target: '/api?x=1' });
    expect(seen?.connection).toMatchObject({ protocol: 'in-process', remoteAddress: '' });
    expect(seen?.header('impersonate-group')).toBe('a, b');
    expect(seen?.headerValues('impersonate-group')).toEqual(['a', 'b']);
    expect(seen?.headerValues('constructor')).toEqual([]);
    expect(seen?.headerNames()).toEqual(['impersonate-group', 'accept']);
    expect(await seen?.body(3)).toEqual({ outcome: 'ok', bytes: bytes('abc') });
    expect(await seen?.body(2)).toEqual({ outcome: 'too-large' });
  });

  it('returns chunks as a stream, and only headers for HEAD', async () => {
    let closed = 0;
    const send = inProcess((incoming) =>
      incoming.target === '/chunks'
        ? { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf([bytes('a'), bytes('b')]) }
        : streaming((sink) => sink.onClose(() => closed++)),
    );
    expect(await collect((await send({ method: 'GET', target: '/chunks' })).body)).toBe('ab');
    expect(await collect((await send({ method: 'HEAD', target: '/chunks' })).body)).toBe('');
    expect(await collect((await send({ method: 'HEAD', target: '/stream' })).body)).toBe('');
    expect(closed).toBe(1);
  });

  it('pauses the writer until the reader has read everything', async () => {
    let written = 0;
    let drains = 0;
    const block = new Uint8Array(16_000);
    const send = inProcess(() =>
      streaming((sink) => {
        const pump = (): void => {
          while (written < 100) {
            written++;
            if (!sink.write([block])) return;
          }
          sink.end();
        };
        sink.onDrain(() => {
          drains++;
          pump();
        });
        pump();
      }),
    );
    const { body } = await send({ method: 'GET', target: '/' });
    await settle();
    expect(written).toBe(5);
    let size = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      expect(written * block.byteLength - size).toBeLessThanOrEqual(5 * block.byteLength);
    }
    expect(size).toBe(100 * block.byteLength);
    expect(drains).toBe(20);
  });

  it('tells the server when the reader leaves early', async () => {
    let sink: AnswerSink | undefined;
    let closed = 0;
    const send = inProcess((incoming) => {
      incoming.onClose(() => closed++);
      return streaming((given) => {
        sink = given;
        given.onClose(() => closed++);
        given.write([bytes('one')]);
      });
    });
    const { body } = await send({ method: 'GET', target: '/' });
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      expect(chunk).toEqual(bytes('one'));
      break;
    }
    expect(closed).toBe(2);
    expect(sink?.write([bytes('two')])).toBe(false);
  });

  it('delivers the bytes before an abort, then throws', async () => {
    const send = inProcess(() =>
      streaming((sink) => {
        sink.write([bytes('a')]);
        sink.abort();
      }),
    );
    const { body } = await send({ method: 'GET', target: '/' });
    const got: string[] = [];
    const error = await (async () => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) got.push(new TextDecoder().decode(chunk));
    })().catch((caught: unknown) => caught);
    expect(got).toEqual(['a']);
    expect(isTransportError(error)).toBe(true);
  });

  it('rejects with the reason of the signal, before and after the answer', async () => {
    let closed = 0;
    let release: (answer: Answer) => void = () => {};
    const send = inProcess((incoming) => {
      incoming.onClose(() => closed++);
      return incoming.target === '/wait'
        ? new Promise<Answer>((resolve) => {
            release = resolve;
          })
        : streaming(() => {});
    });
    const first = new AbortController();
    const waiting = send({ method: 'GET', target: '/wait', signal: first.signal });
    const reason = new Error('enough');
    first.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(closed).toBe(1);
    let cleanedUp = false;
    release(streaming((sink) => sink.onClose(() => (cleanedUp = true))));
    await settle();
    expect(cleanedUp).toBe(true);

    const second = new AbortController();
    const { body } = await send({ method: 'GET', target: '/', signal: second.signal });
    const reading = collect(body);
    await settle();
    second.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(closed).toBe(2);
  });

  it('rejects with a BugError if the handler fails', async () => {
    const send = inProcess(() => {
      throw new Error('oops');
    });
    const error = await send({ method: 'GET', target: '/' }).catch((caught: unknown) => caught);
    expect(isBugError(error)).toBe(true);
  });
});
