/**
 * Converts between keys in etcd, such as `/registry/pods/default/a`, and storage keys, such as
 * `registry/pods/default/a`. Storage keys begin with the scope, and their other segments are escaped.
 */
import { escapePath, unescapeSegment } from '../storage/keys.ts';

/** The scope: the first segment of every storage key. */
export const SCOPE = 'registry';

/** The default of `--etcd-prefix`. */
export const ETCD_PREFIX = '/registry';

/** Returns the storage key of a key in etcd; undefined for keys that are not below the prefix. */
export function keyOfEtcd(key: string, prefix: string): string | undefined {
  if (!key.startsWith(`${prefix}/`)) return undefined;
  return `${SCOPE}/${escapePath(key.slice(prefix.length + 1))}`;
}

/** Returns the key in etcd of a storage key. The inverse of `keyOfEtcd`. */
export function etcdKeyOf(key: string, prefix: string): string {
  return `${prefix}/${unescapeSegment(key.slice(SCOPE.length + 1))}`;
}
