/**
 * A label selector over 10,000 cached objects with 24 label shapes, through the cache's list, compared with a
 * hand-written loop.
 */
import { parseLabelSelector } from '../src/apimachinery/selectors/label-selector-parse.ts';
import type { CacheList, Entry } from '../src/cache/cache.ts';
import { selectorFilter } from '../src/cache/selector-filter.ts';
import { loadedCache } from './loaded-cache.ts';
import { type BenchLine, compare } from './measure.ts';
import { keyOf, PREFIX } from './objects.ts';

const OBJECTS = 10_000;

export async function benchLabelSelector(options: { rounds: number; ms: number }): Promise<BenchLine> {
  const { cache } = await loadedCache(OBJECTS);
  const parsed = parseLabelSelector('app=app-5,tier in (frontend,backend)');
  if (!parsed.ok) throw new Error('the selector does not parse');
  const entries = Array.from({ length: OBJECTS }, (_, i) => cache.get(keyOf(i)) as Entry).sort((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  let found = 0;
  const ours = (): void => {
    // A server compiles the selector once per request.
    const filter = selectorFilter({ labels: parsed.selector })!;
    found = (cache.list({ prefix: PREFIX }, { filter }) as CacheList).items.length;
  };
  const peer = (): void => {
    const items: Uint8Array[] = [];
    for (const entry of entries) {
      const { labels } = entry.facts;
      if (labels['app'] === 'app-5' && (labels['tier'] === 'frontend' || labels['tier'] === 'backend')) {
        items.push(entry.bytes);
      }
    }
    found = items.length;
  };
  ours();
  const mine = found;
  peer();
  if (found !== mine || found === 0) throw new Error(`the selector finds ${mine}, the loop ${found}`);
  const result = compare(ours, peer, options);
  await cache.stop();
  return {
    name: 'label selector over 10,000 objects of 24 label shapes / hand-written loop',
    unit: 'lists/s',
    ...result,
    atLeast: 0.3,
  };
}
