/**
 * The mapping between keys of the storage interface and keys of etcd. A store has keys `<scope>/...`; etcd has
 * `<prefix>/...`, where kube-apiserver's default prefix is `/registry`.
 */
import { StorageError } from '../errors.ts';
import { prefixEnd } from '../keys.ts';

export interface KeyMap {
  /** The first key of etcd that belongs to the store, and the first after it that does not. */
  readonly start: string;
  readonly end: string;
  toEtcd(key: string): string;
  fromEtcd(key: string): string;
  /** The range of etcd's keys for a prefix of the store's keys. Undefined: no key of the store has the prefix. */
  range(prefix: string): { readonly start: string; readonly end: string } | undefined;
}

/** `prefix` is put before the key after its scope; with the empty scope before the whole key. */
export function createKeyMap(prefix: string, scope: string): KeyMap {
  const root = scope === '' ? '' : `${scope}/`;
  const start = scope === '' ? prefix : `${prefix}/`;
  const end = rangeEnd(start);
  return {
    start,
    end,
    toEtcd: (key) => {
      if (!key.startsWith(root))
        throw new StorageError('InvalidArgument', `keys of this store begin with ${root}`, { key });
      return start + key.slice(root.length);
    },
    fromEtcd: (key) => root + key.slice(start.length),
    range: (each) => {
      if (root.startsWith(each)) return { start, end };
      if (!each.startsWith(root)) return undefined;
      const first = start + each.slice(root.length);
      return { start: first, end: rangeEnd(first) };
    },
  };
}

/** etcd reads the end `\0` as "all keys from the start on". */
function rangeEnd(prefix: string): string {
  return prefixEnd(prefix) ?? '\0';
}
