/**
 * Documents of a server's own kinds that were made before, by the build, because making them takes longer than
 * everything else that a first client asks for. Invariant: they are used only if every document that they were made
 * from is published with the same hash; otherwise all is made anew.
 */
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';

/** Two answers of a server without custom resources, as they were given. */
export interface PreparedOpenApi {
  /** Of `/openapi/v3`. */
  readonly index: string;
  /** Of `/openapi/v2`. */
  readonly v2: string;
}

/** Hashes by the names of documents; undefined if it is no index. */
export function hashesOf(index: string): ReadonlyMap<string, string> | undefined {
  const { paths } = JSON.parse(index) as { readonly paths?: JsonObject };
  if (!isJsonObject(paths)) return undefined;
  const hashes = new Map<string, string>();
  for (const [name, entry] of Object.entries(paths)) {
    const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined;
    const hash = typeof url === 'string' ? /\?hash=([0-9A-F]+)$/.exec(url)?.[1] : undefined;
    if (hash === undefined) return undefined;
    hashes.set(name, hash);
  }
  return hashes;
}
