import { describe, expect, it } from 'vitest';
import { isStatusError } from '../apimachinery/status/status.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { isTransportError } from '../base/errors.ts';
import { ConfigMap } from '../kinds/api/core/v1.ts';
import { objectDecoder } from './decode-object.ts';
import { json, scripted, stream } from './scripted-transport.fixtures.ts';
import { openWatch, type WatchCall } from './watch-stream.ts';

function line(type: string, name: string, more = ''): string {
  return `{"type":"${type}","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${more}}}\n`;
}

interface Outcome {
  readonly batches: string[][];
  readonly failure: unknown;
}

async function watched(
  chunks: Iterable<string | Uint8Array>,
  options: Partial<WatchCall<unknown>> = {},
): Promise<Outcome & { closed: number }> {
  let closed = 0;
  const batches: string[][] = [];
  const { transport } = scripted(stream(chunks, () => closed++));
  const failure = await openWatch<unknown>(transport, {
    target: '/x',
    decode: objectDecoder(ConfigMap),
    ...options,
    onEvents: (events) => {
      batches.push(events.map(describeEvent));
    },
  }).catch((caught: unknown) => caught);
  return { batches, failure, closed };
}

function describeEvent(event: WatchEvent<unknown>): string {
  return `${event.type} ${(event.object as { metadata: { name?: string } }).metadata.name}`;
}

describe('a watch', () => {
  it('delivers the events of a chunk together, however the chunks are cut', async () => {
    const text = line('ADDED', 'a') + line('MODIFIED', 'é') + line('DELETED', 'c') + line('BOOKMARK', 'd');
    const bytes = encodeUtf8(text);
    expect((await watched([text])).batches).toEqual([['ADDED a', 'MODIFIED é', 'DELETED c', 'BOOKMARK d']]);
    for (const size of [1, 7, 50]) {
      const chunks = [];
      for (let i = 0; i < bytes.byteLength; i += size) chunks.push(bytes.subarray(i, i + size));
      const { batches, failure } = await watched(chunks);
      expect(batches.flat()).toEqual(['ADDED a', 'MODIFIED é', 'DELETED c', 'BOOKMARK d']);
      expect(failure).toBeUndefined();
    }
  });

  it('accepts values on several lines, without a newline at the end, and fields in another order', async () => {
    const pretty = JSON.stringify(JSON.parse(line('ADDED', 'a')), undefined, 2);
    const turned = '{"object":{"metadata":{"name":"b"}},"type":"ADDED"}';
    const more = '{"type":"ADDED","object":{"metadata":{"name":"c"}},"more":{}}';
    const { batches, failure } = await watched(['\r\n\n', pretty, '\n', turned, '\n', more]);
    expect(failure).toBeUndefined();
    expect(batches.flat()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    expect((await watched([`${more}\n`])).batches).toEqual([['ADDED c']]);
  });

  it('passes the bytes of objects to the decoder', async () => {
    const seen: string[] = [];
    const decode = (bytes: Uint8Array): unknown => {
      seen.push(new TextDecoder().decode(bytes));
      return { metadata: {} };
    };
    await watched(['{"type":"ADDED","object":{"a":[1]}}\n', '{"object":{"b":2},"type":"DELETED"}\n'], { decode });
    expect(seen).toEqual(['{"a":[1]}', '{"b":2}']);
  });

  it('has int64 as bigint and the type of the kind', async () => {
    const objects: unknown[] = [];
    const { transport } = scripted(
      stream(['{"type":"ADDED","object":{"metadata":{"name":"a","generation":9223372036854775807}}}\n']),
    );
    await openWatch(transport, {
      target: '/x',
      decode: objectDecoder(ConfigMap),
      onEvents: (events) => {
        objects.push(...events.map(({ object }) => object));
      },
    });
    expect(objects).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', generation: 9223372036854775807n } },
    ]);
  });

  it.each([
    ['text', 'garbage\n', /looking for beginning of value/],
    ['HTML', '<html>\n', /looking for beginning of value/],
    ['half of JSON', '{"type":"ADDED","object":{"metadata":}}\n', /invalid character/],
    ['another value', '["x"]\n', /must be an object/],
    ['an unknown type', line('SYNC', 'x'), /unknown watch event type "SYNC"/],
    ['an object without a name', '{"type":"ADDED","object":{"metadata":{}}}\n', /has no metadata.name/],
    ['a bookmark that is not an object', '{"type":"BOOKMARK","object":1}\n', /must be an object/],
  ])('of %s fails after the events before it, and is closed', async (_, garbage, message) => {
    const { batches, failure, closed } = await watched([line('ADDED', 'a'), garbage, line('ADDED', 'never')]);
    expect(batches).toEqual([['ADDED a']]);
    expect(isTransportError(failure) && !failure.retryable && failure.message).toMatch(message);
    expect(closed).toBe(1);
  });

  it('that breaks off inside of an event may be retried', async () => {
    const { batches, failure } = await watched([line('ADDED', 'a'), line('ADDED', 'b').slice(0, 20)]);
    expect(batches).toEqual([['ADDED a']]);
    expect(isTransportError(failure) && failure.retryable).toBe(true);
  });

  it('refuses an event beyond the bound without keeping it', async () => {
    let sent = 0;
    function* endless(): Generator<Uint8Array> {
      yield encodeUtf8('{"type":"ADDED","object":{"data":"');
      for (const piece = new Uint8Array(64 * 1024).fill(0x61); sent < 100e6; sent += piece.byteLength) yield piece;
    }
    const { failure, closed } = await watched(endless());
    expect(isTransportError(failure) && failure.message).toMatch(/longer than maximum allowed size/);
    expect(sent).toBeLessThan(17e6);
    expect(closed).toBe(1);
  });

  it('that is refused is a StatusError', async () => {
    const { transport } = scripted(json({ kind: 'Status', code: 410, reason: 'Expired' }, 410));
    const failed = openWatch(transport, { target: '/x', decode: (bytes) => bytes, onEvents: () => undefined });
    expect(isStatusError(await failed.catch((caught) => caught))).toBe(true);
  });

  it('waits for the promise of its consumer, and ends with its failure', async () => {
    const { transport } = scripted(stream([line('ADDED', 'a'), line('ADDED', 'b')]));
    const order: string[] = [];
    await openWatch(transport, {
      target: '/x',
      decode: objectDecoder(ConfigMap),
      onEvents: async ([event]) => {
        order.push(`begin ${event === undefined ? '' : describeEvent(event)}`);
        await Promise.resolve();
        order.push('end');
      },
    });
    expect(order).toEqual(['begin ADDED a', 'end', 'begin ADDED b', 'end']);
    let closed = 0;
    const failing = scripted(stream([line('ADDED', 'a'), line('ADDED', 'b')], () => closed++));
    const failure = openWatch(failing.transport, {
      target: '/x',
      decode: objectDecoder(ConfigMap),
      onEvents: () => {
        throw new RangeError('handler');
      },
    });
    await expect(failure).rejects.toThrow('handler');
    expect(closed).toBe(1);
  });
});
