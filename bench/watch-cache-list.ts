/** The bytes of a list of 10,000 objects, written into a null sink, beside one Buffer.concat of the same objects. */
import { encodeUtf8 } from '../src/base/bytes.ts';
import type { CacheList } from '../src/cache/cache.ts';
import { writeList } from '../src/cache/list-writer.ts';
import { loadedCache } from './loaded-cache.ts';
import { type BenchLine, compare } from './measure.ts';
import { PREFIX } from './objects.ts';

const OBJECTS = 10_000;

export async function benchWatchCacheList(options: { rounds: number; ms: number }): Promise<BenchLine> {
  const { cache } = await loadedCache(OBJECTS);
  const header = encodeUtf8(
    '{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"1"},"items":[',
  );
  const footer = encodeUtf8(']}\n');
  const items = (cache.list({ prefix: PREFIX }) as CacheList).items as Uint8Array[];
  if (items.length !== OBJECTS) throw new Error(`${items.length} objects in the list`);
  const sink = {
    bytes: 0,
    write(chunks: readonly Uint8Array[]): boolean {
      for (let i = 0; i < chunks.length; i++) this.bytes += chunks[i]!.byteLength;
      return true;
    },
  };
  const ours = (): void => void writeList(sink, (cache.list({ prefix: PREFIX }) as CacheList).items, header, footer);
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
