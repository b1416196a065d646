/** The values of `--etcd-servers-overrides`: `group/resource#server1;server2`. */
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';

/** A cluster and the resources that it holds instead of that of `--etcd-servers`. */
export interface EtcdOverride {
  readonly resources: readonly GroupResource[];
  readonly servers: readonly string[];
}

/** The reference's text. */
const INVALID =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

/**
 * Returns one override per cluster, in the order of the values. Values with the same servers, in any order, name the
 * same cluster. The last value for a resource counts. Throws ConfigError with the reference's text.
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
