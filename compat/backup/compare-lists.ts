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

/** `expected` was read before the snapshot. Objects that changed between are compared by their resourceVersion only. */
export function compareLists(expected: Lists, actual: Lists): Comparison {
  const differences: string[] = [];
  let objects = 0;
  for (const [path, items] of expected) {
    const others = actual.get(path);
    for (const [name, item] of items) {
      objects++;
      const other = others?.get(name);
      if (other === undefined) differences.push(`${path}: ${name} is missing`);
      else if (!isDeepStrictEqual(item, other) && versionOf(other) <= versionOf(item))
        differences.push(`${path}: ${name}: ${differenceOf(item, other)}`);
    }
    for (const name of others?.keys() ?? [])
      if (!items.has(name)) differences.push(`${path}: ${name} is not in the reference`);
  }
  return { objects, resources: expected.size, differences };
}

function nameOf({ metadata }: JsonObject): string {
  const { namespace, name } = metadata as JsonObject;
  return namespace === undefined ? String(name) : `${String(namespace)}/${String(name)}`;
}

function versionOf({ metadata }: JsonObject): number {
  return Number((metadata as JsonObject)['resourceVersion']);
}

/** The first path with different values. */
function differenceOf(a: unknown, b: unknown, path = ''): string {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `${path}: ${JSON.stringify(a)?.slice(0, 120)} became ${JSON.stringify(b)?.slice(0, 120)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [(a as JsonObject)[key], (b as JsonObject)[key]];
    if (!isDeepStrictEqual(x, y)) return differenceOf(x, y, `${path}.${key}`);
  }
  return `${path}: equal`;
}
