import { describe, expect, it } from 'vitest';
import { GRPC, type GrpcDuplexSink, GrpcError } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EtcdClient } from './etcd-client.ts';
import { Watcher } from './watcher.ts';

const CREATED = Uint8Array.of(0x18, 1);
/** The answer to a request for progress. */
const progress = (revision: number): Uint8Array => Uint8Array.of(0x0a, 2, 0x18, revision);
const put = (revision: number): Uint8Array => {
  const item = [0x0a, 1, 97, 0x10, revision, 0x18, revision];
  const event = [0x12, item.length, ...item];
  return Uint8Array.of(0x0a, 2, 0x18, revision, 0x5a, event.length, ...event);
};
const canceled = Uint8Array.of(0x20, 1, 0x32, 1, 120);
const compacted = (revision: number): Uint8Array => Uint8Array.of(0x28, revision);

interface TestWatcher {
  readonly watcher: Watcher;
  readonly clock: VirtualClock;
  /** The calls of the sink. */
  readonly calls: string[];
  /** The streams that were opened, oldest first, with the number of requests that were sent on each. */
  readonly streams: { readonly sink: GrpcDuplexSink; sent: number; isClosed: boolean }[];
  onHeader: () => void;
}

function watcherAfter(after: number): TestWatcher {
  const clock = new VirtualClock();
  const calls: string[] = [];
  const streams: TestWatcher['streams'] = [];
  const client: Pick<EtcdClient, 'stream'> = {
    stream: (_, sink) => {
      const stream = { sink, sent: 0, isClosed: false };
      streams.push(stream);
      return {
        send: () => void stream.sent++,
        close: () => {
          stream.isClosed = true;
        },
      };
    },
  };
  const test = { clock, calls, streams, onHeader: () => {} } as TestWatcher & { watcher: Watcher };
  const watcher = new Watcher(
    {
      client: client as EtcdClient,
      clock,
      key: 'a',
      end: 'b',
      after,
      previous: false,
      confirm: () => Promise.resolve(after),
      marker: () => undefined,
      onHeader: () => test.onHeader(),
    },
    {
      events: (events) => void calls.push(`events ${events.map(({ item }) => item.revision).join(' ')}`),
      progress: (revision) => {
        calls.push(`progress ${revision}`);
        if (revision < 20) watcher.reach(20);
      },
      compacted: (horizon) => void calls.push(`compacted ${horizon}`),
      failed: (error) => void calls.push(`failed ${error.message}`),
    },
  );
  watcher.start();
  return Object.assign(test, { watcher });
}

/** Sends messages that arrive in one read of the connection. */
async function read({ streams }: TestWatcher, ...messages: readonly Uint8Array[]): Promise<void> {
  for (const message of messages) streams.at(-1)?.sink.message(message);
  await Promise.resolve();
}

describe('the responses of one read', () => {
  it('are passed on together', async () => {
    const test = watcherAfter(5);
    await read(test, CREATED, put(6), put(7), put(8));
    await read(test, put(9));
    expect(test.calls).toEqual(['events 6 7 8', 'progress 8', 'events 9', 'progress 9']);
    expect(test.watcher.position).toBe(9);
  });

  it('are not passed on to a watcher that is stopped meanwhile', async () => {
    const test = watcherAfter(5);
    const handled = read(test, CREATED, put(6));
    test.watcher.stop();
    await handled;
    expect([test.calls, test.watcher.position]).toEqual([[], 5]);
    const restored = watcherAfter(5);
    restored.onHeader = () => restored.watcher.stop();
    await read(restored, CREATED, put(6));
    expect(restored.calls).toEqual([]);
  });

  it('are passed on before the end of the stream, which continues after them', async () => {
    const test = watcherAfter(5);
    const { sink } = test.streams[0]!;
    for (const message of [CREATED, put(6), put(7)]) sink.message(message);
    sink.end(new GrpcError(GRPC.unavailable, 'lost', { progress: 'unknown' }));
    expect(test.calls).toEqual(['events 6 7', 'progress 7']);
    await test.clock.advance(100);
    expect([test.streams.length, test.watcher.position]).toEqual([2, 7]);
  });

  it('are passed on before a compaction or the end of the watcher that follows them', async () => {
    const gone = watcherAfter(5);
    await read(gone, CREATED, put(6), compacted(9), put(7));
    expect(gone.calls).toEqual(['events 6', 'progress 6', 'compacted 9']);
    const ended = watcherAfter(5);
    await read(ended, CREATED, put(6), canceled, put(7));
    expect([ended.calls, ended.streams[0]?.isClosed]).toEqual([['events 6', 'progress 6'], true]);
    await ended.clock.advance(100);
    await read(ended, CREATED, put(7));
    expect(ended.calls.slice(2)).toEqual(['events 7', 'progress 7']);
  });

  it('with progress do not make a waiting sink ask again before the pause', async () => {
    const test = watcherAfter(5);
    test.watcher.reach(20);
    await read(test, CREATED);
    const [stream] = test.streams;
    // The creation of the watcher, and one request for progress.
    expect(stream?.sent).toBe(2);
    await read(test, progress(7), progress(8));
    expect([test.calls, stream?.sent]).toEqual([['progress 8'], 2]);
    await test.clock.advance(100);
    expect(stream?.sent).toBe(3);
  });

  it('that cannot be handled end the stream', async () => {
    const test = watcherAfter(5);
    test.onHeader = () => {
      throw new Error('x');
    };
    await read(test, CREATED);
    expect(test.streams[0]?.isClosed).toBe(true);
    test.onHeader = () => {};
    await test.clock.advance(100);
    await read(test, CREATED, put(6));
    expect(test.calls).toEqual(['events 6', 'progress 6']);
  });
});
