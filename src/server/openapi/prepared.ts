/**
 * Documents of a server's own kinds that were made before, by the build, because making them takes longer than everything else that a first client asks for. Invariant: they are used only if every document that
 * they were made from is published with the same hash; otherwise all is made anew.
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The members of an object that is written without spaces, with their values as they stand. */
export function membersOf(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let name = '';
  let start = 1;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) depth++;
    else if (depth > 0) {
      if (code === 0x7d || code === 0x5d) depth--;
    } else if (code === COLON) {
      name = JSON.parse(text.slice(start, at)) as string;
      start = at + 1;
    } else if (code === COMMA || code === 0x7d) {
      if (at > start) members.push([name, text.slice(start, at)]);
      start = at + 1;
    }
  }
  return members;
}

/** Where the string that begins here ends. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
