/**
 * The list of the built-in kinds. Adding a kind is one file in `groups/<group>/` and one line here.
 *
 * How a kind is declared: `groups/<group>/<kind>.ts` exports one `KubeResource`, named after the kind:
 *
 *     export const CONFIG_MAP: KubeResource = {
 *       definition: storedResource({
 *         plural: 'configmaps',
 *         scope: 'Namespaced',
 *         versions: [builtInVersion({ group: '', version: 'v1', kind: 'ConfigMap', table: configMapTable })],
 *         strategy: builtInStrategy({ validate: validateConfigMap, validateUpdate: validateConfigMapUpdate }),
 *       }),
 *     };
 *
 * - A kind that needs settings, or the KubeContext for its subresources, is a function that returns the KubeResource:
 *   `podResource(context)`, `eventResource(ttlSeconds)`.
 * - The `status` subresource is `statusSubresource(STRATEGY, { ... })`.
 * - A store that stands in front of the registry store is made by `wrapStore`, in the kind's file.
 * - The file's order: constants and table, the declaration, then defaults, strategy methods, validation and warnings.
 * - A kind that does not fit into one file has a folder, `core/pod/`: `pod.ts` declares it, the rest stands beside it.
 *
 * Rules are pure: defaults and `prepareFor...` modify only the object they are given, validation only returns issues.
 * Issues have the texts and the order of kube-apiserver's; issues about entries of a map come in the order of the object.
 */

import { CONFIG_MAP } from './groups/core/config-map.ts';
import { SECRET } from './groups/core/secret.ts';
import type { KubeContext, KubeResource } from './kube-context.ts';
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
  /** The server the kinds are made for. */
  readonly context: KubeContext;
  readonly rbac: RbacAuthorizer;
  readonly network: NetworkResourceOptions;
  /** Kinds without an enabled version are stored but not served. */
  readonly runtimeConfig: RuntimeConfig;
}

export function kubeResources(options: KubeResourceOptions): readonly KubeResource[] {
  const kinds: readonly KubeResource[] = [
    // The core group
    CONFIG_MAP,
    SECRET,
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
