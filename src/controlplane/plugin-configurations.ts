/** Makes the configurations of the admission plugins from the files of the options. */
import type { WebhookCredentials } from '../admission/webhook-credentials.ts';
import type { Lifetime } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { KubeconfigUsers } from '../client/kubeconfig.ts';
import { serverId } from '../kube/bootstrap/identity-lease.ts';
import type { PluginConfigurations } from '../kube/kube-server-options.ts';
import type { CompletedOptions } from './complete-options.ts';
import { createManifestMetrics } from './manifest-metrics.ts';
import { hostnameOf } from './server-address.ts';
import { createWebhookCredentials } from './webhook-credentials.ts';

/** Returns the configurations of the plugins. Manifest files are read again until the lifetime ends. */
export function pluginConfigurations(
  { admission, platform }: CompletedOptions,
  { logger, lifetime }: { readonly logger: Logger; readonly lifetime: Lifetime },
  registry: MetricRegistry,
): PluginConfigurations {
  const credentials = (users: KubeconfigUsers | undefined): WebhookCredentials | undefined =>
    users && createWebhookCredentials(users, { platform, logger, lifetime });
  if (admission.manifests.length > 0) {
    const metrics = createManifestMetrics(registry, platform.clock, serverId(hostnameOf(platform)));
    for (const manifests of admission.manifests) {
      manifests.start({ logger, metrics });
      lifetime.add('admission manifests', () => manifests.stop());
    }
  }
  return {
    podSecurity: admission.podSecurity,
    eventLimits: admission.eventLimits,
    nodeSelectors: admission.nodeSelectors,
    podTolerations: admission.podTolerations,
    limitedResources: admission.limitedResources,
    mutatingWebhooks: credentials(admission.mutatingWebhooks),
    validatingWebhooks: credentials(admission.validatingWebhooks),
    manifests: Object.fromEntries(admission.manifests.map(({ plugin, objects }) => [plugin, objects])),
  };
}
