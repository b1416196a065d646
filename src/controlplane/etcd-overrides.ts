/** Parses the values of `--etcd-servers-overrides`: `group/resource#server1;server2`. */
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';

/** An etcd cluster, and the resources that are stored there instead of in the cluster of `--etcd-servers`. */
export interface EtcdOverride {
  readonly resources: readonly GroupResource[];
  readonly servers: readonly string[];
}

/** kube-apiserver's message. */
const INVALID =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

/**
 * Returns one override per cluster, in the order of the values. Values with the same servers, in any order, name the
 * same cluster. If several values name a resource, the last one is used. Throws ConfigError for an invalid value.
 */
export function parseEtcdOverrides(values: readonly string[]): readonly EtcdOverride[] {
  const clusters = new Map<string, readonly string[]>();
  const clusterOf = new Map<string, string>();
  for (const value of values) {
    const [name = '', list = '', ...more] = value.split('#');
    const servers = list.split(';');
    if (more.length > 0 || name.split('/').length !== 2 || servers.includes('')) throw new ConfigError(INVALID);
    const key = [...servers].sort().join(';');
    if (!clusters.has(key)) clusters.set(key, servers);
    clusterOf.set(name, key);
  }
  return [...clusters].map(([key, servers]) => ({
    servers,
    resources: [...clusterOf].filter(([, cluster]) => cluster === key).map(([name]) => groupResource(name)),
  }));
}

function groupResource(name: string): GroupResource {
  const [group = '', resource = ''] = name.split('/');
  return { group, resource };
}
