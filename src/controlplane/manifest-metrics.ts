/** The metrics of manifest files for admission, under the names of kube-apiserver. */
import type { ManifestPlugin } from '../admission/manifests/manifest-objects.ts';
import type { Clock } from '../base/clock.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { sha256Label } from '../base/sha256.ts';

export interface ManifestMetrics {
  /** Called after a successful load. `hash` is the hash of the files. */
  succeeded(plugin: ManifestPlugin, hash: string): void;
  failed(plugin: ManifestPlugin): void;
}

const PREFIX = 'apiserver_manifest_admission_config_controller_';

/** Registers the metrics, once per registry. `serverId` is the name of the server's identity Lease. */
export function createManifestMetrics(registry: MetricRegistry, clock: Clock, serverId: string): ManifestMetrics {
  const server = sha256Label(serverId);
  const labels = ['status', 'plugin', 'apiserver_id_hash'] as const;
  const reloads = registry.counter({
    name: `${PREFIX}automatic_reloads_total`,
    help: 'Number of loads of admission manifests, by status, plugin and server.',
    labels,
  });
  const times = registry.gauge({
    name: `${PREFIX}automatic_reload_last_timestamp_seconds`,
    help: 'Time of the last load of admission manifests, by status, plugin and server.',
    labels,
  });
  const info = registry.gauge({
    name: `${PREFIX}last_config_info`,
    help: 'The hash of the admission manifests in use, by plugin and server.',
    labels: ['plugin', 'apiserver_id_hash', 'hash'] as const,
  });
  const hashes = new Map<ManifestPlugin, string>();
  const count = (status: string, plugin: ManifestPlugin): void => {
    reloads.labels(status, plugin, server).add();
    times.labels(status, plugin, server).set(clock.now() / 1000);
  };
  return {
    succeeded(plugin, hash) {
      count('success', plugin);
      hashes.set(plugin, hash);
      info.clear();
      for (const [one, its] of hashes) info.labels(one, server, its).set(1);
    },
    failed: (plugin) => count('failure', plugin),
  };
}
