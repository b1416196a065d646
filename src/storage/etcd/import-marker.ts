/**
 * The key that marks an unfinished import. An import writes the marker before its first key and deletes the marker
 * after its last key is verified, so that no server starts on an incomplete import.
 */
import type { KeyMap } from './key-map.ts';

/** `/registry.import` for keys `/registry/...`. It is not a key of the store. */
export function importMarkerKey({ start }: Pick<KeyMap, 'start'>): string {
  return `${start.endsWith('/') ? start.slice(0, -1) : start}.import`;
}
