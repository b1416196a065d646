/**
 * A list of 10,000 objects of the watch cache, passed to a null sink by reference, compared with one Buffer.concat of
 * the same objects.
 */
import type { CacheList } from '../src/cache/cache.ts';
import { loadedCache } from './loaded-cache.ts';
import { type BenchLine, compare } from './measure.ts';
import { PREFIX } from './objects.ts';

const OBJECTS = 10_000;

export async function benchWatchCacheList(options: { rounds: number; ms: number }): Promise<BenchLine> {
  const { cache } = await loadedCache(OBJECTS);
  const items = (cache.list({ prefix: PREFIX }) as CacheList).items as Uint8Array[];
  if (items.length !== OBJECTS) throw new Error(`${items.length} objects in the list`);
  const sink = {
    bytes: 0,
    write(chunks: readonly Uint8Array[]): boolean {
      for (let i = 0; i < chunks.length; i++) this.bytes += chunks[i]!.byteLength;
      return true;
    },
  };
  const ours = (): void => void sink.write((cache.list({ prefix: PREFIX }) as CacheList).items);
  const peer = (): void => void sink.write([Buffer.concat(items)]);
  const result = compare(ours, peer, options);
  await cache.stop();
  return {
    name: 'watch cache: list of 10,000 into a null sink / one Buffer.concat',
    unit: 'lists/s',
    ...result,
    atLeast: 2,
  };
}
