/**
 * What the middle server stores and serves: one list, put together from the tables in `resources/`. Invariant: everything that is special about a kind stands in its
 * table by name; how it works is in `rules/`.
 */
import type { KubeResource } from './kube-context.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { type BaseResourceOptions, baseResources } from './resources/base.ts';
import { clusterResources } from './resources/cluster.ts';
import { type ExtensionResourceOptions, extensionResources } from './resources/extension.ts';
import { type NetworkResourceOptions, networkResources } from './resources/network.ts';
import { podResources } from './resources/pods.ts';
import { rbacResources } from './resources/rbac.ts';
import { storageResources } from './resources/storage.ts';
import { workloadResources } from './resources/workloads.ts';
import { type RuntimeConfig, servedDefinition } from './runtime-config.ts';

export interface KubeResourceOptions extends BaseResourceOptions, ExtensionResourceOptions {
  readonly rbac: RbacAuthorizer;
  readonly network: NetworkResourceOptions;
  /** Kinds of which no version is on are stored but not served. */
  readonly runtimeConfig: RuntimeConfig;
}

export function kubeResources(options: KubeResourceOptions): readonly KubeResource[] {
  const kinds: readonly KubeResource[] = [
    ...baseResources(options),
    ...podResources(),
    ...workloadResources(),
    ...networkResources(options.network),
    ...storageResources(),
    ...clusterResources(),
    ...extensionResources(options),
    ...rbacResources(options.rbac),
  ];
  return kinds.map((kind) => ({ ...kind, definition: servedDefinition(kind.definition, options.runtimeConfig) }));
}
