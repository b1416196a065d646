/**
 * The mapping between keys of the storage interface and keys of etcd. A store has keys `<scope>/...`; etcd has
 * `<prefix>/...`, where kube-apiserver's default prefix is `/registry`. Keys of etcd are not escaped: they have the
 * bytes of kube-apiserver's.
 * Invariant: both have the same order, which in etcd is that of UTF-8 bytes. Keys of etcd must not be compared as
 * JavaScript strings.
 */
import { StorageError } from '../errors.ts';
import { escapePath, hasEscapedSlash, unescapeSegment } from '../keys.ts';

export interface KeyMap {
  /** The first key of etcd that belongs to the store, and the first after it that does not. */
  readonly start: string;
  readonly end: string;
  /** Throws StorageError(InvalidArgument) for a key of another scope, and for a segment that contains a slash. */
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
 * The first text in the order of UTF-8 bytes after all that begin with the prefix. etcd reads the end `\0` as "all keys
 * from the start on".
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
