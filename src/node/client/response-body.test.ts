import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { StreamedBody } from './response-body.ts';

const bytes = (text: string): Uint8Array => encodeUtf8(text);

async function nextText(body: StreamedBody): Promise<string | undefined> {
  const { done, value } = await body.next();
  return done ? undefined : decodeUtf8(value);
}

describe('a streamed body', () => {
  it('hands out the bytes that arrive in one read of the connection as one chunk', async () => {
    const body = new StreamedBody(undefined);
    const reading = nextText(body);
    for (const text of ['a', 'b']) body.write([bytes(text)]);
    await Promise.resolve();
    body.write([bytes('c')]);
    expect(await reading).toBe('abc');
  });

  it('hands out the bytes that arrived while its reader was busy as one chunk', async () => {
    const body = new StreamedBody(undefined);
    for (const text of ['a', 'b', 'c']) body.write([bytes(text)]);
    expect(await nextText(body)).toBe('abc');
    const reading = nextText(body);
    body.write([bytes('d')]);
    body.end();
    expect([await reading, await nextText(body)]).toEqual(['d', undefined]);
  });

  it('hands out bytes before the failure that follows them, and drops them when it is cancelled', async () => {
    const failed = new StreamedBody(undefined);
    const reading = nextText(failed);
    failed.write([bytes('a')]);
    failed.fail(new TypeError('cut'));
    expect(await reading).toBe('a');
    await expect(failed.next()).rejects.toThrow('cut');
    expect(await nextText(failed)).toBeUndefined();

    const cancelled = new StreamedBody(undefined);
    const waiting = cancelled.next();
    cancelled.write([bytes('a')]);
    cancelled.cancel(new TypeError('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await nextText(cancelled)).toBeUndefined();
  });

  it('is full at 128 KiB, and has room again when they are read', async () => {
    const body = new StreamedBody(undefined);
    let drained = 0;
    body.onDrain(() => drained++);
    const half = new Uint8Array(64 * 1024);
    expect([body.write([half]), body.write([half])]).toEqual([true, false]);
    expect(drained).toBe(0);
    expect((await body.next()).value?.byteLength).toBe(128 * 1024);
    expect(drained).toBe(1);
    expect(body.write([half])).toBe(true);
  });
});
