/**
 * The keys of kube-apiserver in etcd and ours: `/registry/pods/default/a` and `registry/pods/default/a`. Ours have the scope
 * as their first segment and escape the others.
 */
import { escapePath, unescapeSegment } from '../storage/keys.ts';

/** The first segment of every storage key, as in the reference. */
export const SCOPE = 'registry';

/** The default of `--etcd-prefix`. */
export const ETCD_PREFIX = '/registry';

/** Our key for a key of etcd; undefined for keys that are not below the prefix. */
export function keyOfEtcd(key: string, prefix: string): string | undefined {
  if (!key.startsWith(`${prefix}/`)) return undefined;
  return `${SCOPE}/${escapePath(key.slice(prefix.length + 1))}`;
}

/** The key in etcd for one of ours: the inverse of `keyOfEtcd`. */
export function etcdKeyOf(key: string, prefix: string): string {
  return `${prefix}/${unescapeSegment(key.slice(SCOPE.length + 1))}`;
}
