/** Compares all objects that two servers list, in every version. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/base/json-value.ts';
import type { Client } from '../diff/client.ts';
import { getJson, type ListedResource } from './every-kind.ts';

export interface Comparison {
  readonly objects: number;
  readonly resources: number;
  /** One sentence for each difference. */
  readonly differences: readonly string[];
}

export interface CompareOptions {
  readonly ignoresRevisions?: boolean;
  /** Accepts objects that only `actual` has: a server may write objects when it starts. Default false. */
  readonly allowsMore?: boolean;
}

/** The lists of a server by path. */
export type Lists = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

export async function readLists(client: Client, resources: readonly ListedResource[]): Promise<Lists> {
  const lists = new Map<string, ReadonlyMap<string, JsonObject>>();
  for (const { path } of resources) {
    const { items } = (await getJson(client, path)) as unknown as { items: JsonObject[] };
    lists.set(path, new Map(items.map((item) => [nameOf(item), item])));
  }
  return lists;
}

/**
 * `expected` was read before the snapshot, so objects with a newer resourceVersion are not compared. With
 * `ignoresRevisions` resourceVersions are not, and neither are objects that a starting server writes.
 */
export function compareLists(expected: Lists, actual: Lists, options: CompareOptions = {}): Comparison {
  const { ignoresRevisions = false, allowsMore = false } = options;
  const differences: string[] = [];
  let objects = 0;
  for (const [path, items] of expected) {
    const others = actual.get(path);
    for (const [name, whole] of items) {
      const found = others?.get(name);
      if (ignoresRevisions && isOfServer(path, name)) continue;
      objects++;
      const item = ignoresRevisions ? withoutRevision(whole) : whole;
      const other = found && ignoresRevisions ? withoutRevision(found) : found;
      const isNewer = found !== undefined && !ignoresRevisions && versionOf(found) > versionOf(whole);
      if (other === undefined) differences.push(`${path}: ${name} is missing`);
      else if (!isDeepStrictEqual(item, other) && !isNewer)
        differences.push(`${path}: ${name}: ${differenceOf(item, other)}`);
    }
    for (const name of others?.keys() ?? [])
      if (!allowsMore && !items.has(name) && !(ignoresRevisions && isOfServer(path, name)))
        differences.push(`${path}: ${name} is not in the reference`);
  }
  return { objects, resources: expected.size, differences };
}

/** An APIService whose server does not exist, and that of a version which only Keelson serves. */
const API_SERVICES: readonly string[] = ['as2.foo.com', 'v1beta1.apiextensions.k8s.io'];

/** Leases, events and some APIServices. */
function isOfServer(path: string, name: string): boolean {
  return /\/(leases|events)$/.test(path) || (path.endsWith('/apiservices') && API_SERVICES.includes(name));
}

function withoutRevision(item: JsonObject): JsonObject {
  const { resourceVersion: _, ...metadata } = item['metadata'] as JsonObject;
  return { ...item, metadata };
}

function nameOf({ metadata }: JsonObject): string {
  const { namespace, name } = metadata as JsonObject;
  return namespace === undefined ? String(name) : `${String(namespace)}/${String(name)}`;
}

function versionOf({ metadata }: JsonObject): number {
  return Number((metadata as JsonObject)['resourceVersion']);
}

/** The first path with different values. */
export function differenceOf(a: unknown, b: unknown, path = ''): string {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `${path}: ${JSON.stringify(a)?.slice(0, 120)} became ${JSON.stringify(b)?.slice(0, 120)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [(a as JsonObject)[key], (b as JsonObject)[key]];
    if (!isDeepStrictEqual(x, y)) return differenceOf(x, y, `${path}.${key}`);
  }
  return `${path}: equal`;
}
