/**
 * OpenAPI documents that the build prepares for the server's own kinds, because making them takes longer than anything
 * else in a server's first seconds.
 *
 * Invariant: they are used only if every document that they contain is published with the same hash.
 */
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';

/** Two answers of a server without custom resources. */
export interface PreparedOpenApi {
  /** The body of `/openapi/v3`. */
  readonly index: string;
  /** The body of `/openapi/v2`. */
  readonly v2: string;
}

/** Returns the hashes by document name; undefined if `index` is malformed. */
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
