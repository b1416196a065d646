/**
 * The mapping between keys of the storage interface and keys of etcd. A store has keys `<scope>/...`; etcd has
 * `<prefix>/...`, where kube-apiserver's default prefix is `/registry`. Keys of etcd are not escaped: they are the same
 * bytes as kube-apiserver's keys.
 * Invariant: the mapping keeps the order of keys. etcd orders keys by UTF-8 bytes, so code must not compare etcd's keys
 * as JavaScript strings.
 */
import { StorageError } from '../errors.ts';
import { escapePath, hasEscapedSlash, unescapeSegment } from '../keys.ts';

export interface KeyMap {
  /** The range of etcd's keys that belong to the store. `end` is exclusive. */
  readonly start: string;
  readonly end: string;
  /** Throws StorageError(InvalidArgument) for a key of another scope, and for a segment that contains a slash. */
  toEtcd(key: string): string;
  fromEtcd(key: string): string;
  /** The range of etcd's keys for a prefix of the store's keys. Undefined: no key of the store has the prefix. */
  range(prefix: string): { readonly start: string; readonly end: string } | undefined;
}

/**
 * An etcd key is `prefix`, a slash and the store's key without its scope. With the empty scope it is `prefix` and the
 * whole key.
 */
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
      return start + pathOf(key.slice(root.length));
    },
    fromEtcd: (key) => root + escapePath(key.slice(start.length)),
    range: (each) => {
      if (root.startsWith(each)) return { start, end };
      if (!each.startsWith(root)) return undefined;
      const first = start + pathOf(each.slice(root.length));
      return { start: first, end: rangeEnd(first) };
    },
  };
}

function pathOf(escaped: string): string {
  if (hasEscapedSlash(escaped))
    throw new StorageError('InvalidArgument', 'a segment of a key in etcd cannot contain a slash', { key: escaped });
  return unescapeSegment(escaped);
}

/**
 * The smallest string, by UTF-8 bytes, above all strings that begin with the prefix. For the empty prefix it is `\0`,
 * which etcd reads as "no upper bound".
 */
function rangeEnd(prefix: string): string {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) as number;
    if (point === 0x10ffff) continue;
    // Surrogates have no UTF-8 form.
    return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return '\0';
}
