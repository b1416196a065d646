/**
 * The key that marks an unfinished import. It is written before the first key of an import and deleted after the last
 * one is verified, so that no server starts on a part of the keys.
 */
import type { KeyMap } from './key-map.ts';

/** `/registry.import` for keys `/registry/...`. It is not a key of the store. */
export function importMarkerKey({ start }: Pick<KeyMap, 'start'>): string {
  return `${start.endsWith('/') ? start.slice(0, -1) : start}.import`;
}
