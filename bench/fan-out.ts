/**
 * Events to 1,000 watchers with a sink each and no connections, compared with 1,000 calls that write one shared buffer
 * to the same sinks. Our side is everything from the storage event on: describing and splicing the object, the state,
 * the window, filter, encoding, dispatch.
 */
import { concatBytes, encodeUtf8 } from '../src/base/bytes.ts';
import type { ChangeType, EventEncoding, EventSink } from '../src/cache/cache.ts';
import { loadedCache, putEvent } from './loaded-cache.ts';
import { type BenchLine, compare } from './measure.ts';
import { objectBytes, PREFIX } from './objects.ts';

const WATCHERS = 1000;
const BURST = 100;

class NullSink implements EventSink {
  bytes = 0;

  write(chunks: readonly Uint8Array[]): boolean {
    for (let i = 0; i < chunks.length; i++) this.bytes += chunks[i]!.byteLength;
    return true;
  }

  end(): void {}
}

const HEADS: Record<ChangeType, Uint8Array> = {
  ADDED: encodeUtf8('{"type":"ADDED","object":'),
  MODIFIED: encodeUtf8('{"type":"MODIFIED","object":'),
  DELETED: encodeUtf8('{"type":"DELETED","object":'),
};
const TAIL = encodeUtf8('}\n');

const encoding: EventEncoding = {
  key: 'json',
  event: (type, bytes) => concatBytes([HEADS[type], bytes, TAIL]),
  bookmark: (revision) => encodeUtf8(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${revision}"}}}\n`),
};

/** Returns two lines, both with a bar: one event per turn, and bursts of 100 events per turn. */
export async function benchFanOut(options: { rounds: number; ms: number }): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const perTurn of [1, BURST]) {
    const { cache, store, turn } = await loadedCache(100);
    const sinks = Array.from({ length: WATCHERS }, () => new NullSink());
    for (const sink of sinks) {
      const start = cache.watch({ range: { prefix: PREFIX }, encoding, from: 'now' }, sink);
      if (start.outcome !== 'ok') throw new Error(start.outcome);
    }
    turn();
    const values = Array.from({ length: 100 }, (_, i) => objectBytes(i, 1024, 1));
    let at = 0;
    const ours = (): void => {
      for (let i = 0; i < perTurn; i++) store.deliver([putEvent(store, at, values[at++ % 100]!)]);
      at %= 100;
      turn();
    };
    const shared = [encoding.event('MODIFIED', objectBytes(0))];
    const peer = (): void => {
      for (let i = 0; i < perTurn; i++) for (let s = 0; s < WATCHERS; s++) sinks[s]!.write(shared);
    };
    ours();
    if (sinks.some((sink) => sink.bytes === 0)) throw new Error('a watcher got nothing');
    const result = compare(ours, peer, options);
    await cache.stop();
    lines.push({
      name: `fan-out: 1,000 watchers, ${perTurn === 1 ? 'one event' : `${BURST} events`} per turn / 1,000 calls per event`,
      unit: 'events/s',
      ours: result.ours * perTurn,
      peer: result.peer * perTurn,
      ratio: result.ratio,
      atLeast: 0.3,
    });
  }
  return lines;
}
