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
 *   `podResource(kube)`, `eventResource(ttlSeconds)`.
 * - The `status` subresource is `statusSubresource(STRATEGY, { ... })`.
 * - A store that stands in front of the registry store is made by `wrapStore`, in the kind's file.
 * - The file's order: constants and table, the declaration, then defaults, strategy methods, validation and warnings.
 * - A kind that does not fit into one file has a folder, `core/pod/`: `pod.ts` declares it, the rest stands beside it.
 *
 * Rules are pure: defaults and `prepareFor...` modify only the object they are given, validation only returns issues.
 * Issues have the texts and the order of kube-apiserver's; issues about entries of a map come in the order of the object.
 */

import type { SubresourceDefinition } from '../server/resource/resource-definition.ts';
import { COMPONENT_STATUS } from './groups/core/component-status.ts';
import { CONFIG_MAP } from './groups/core/config-map.ts';
import { ENDPOINTS } from './groups/core/endpoints.ts';
import { eventResource } from './groups/core/event/event.ts';
import { LIMIT_RANGE } from './groups/core/limit-range.ts';
import { NAMESPACE } from './groups/core/namespace.ts';
import { nodeResource } from './groups/core/node/node.ts';
import { bindingResource } from './groups/core/pod/binding.ts';
import { podResource } from './groups/core/pod/pod.ts';
import { POD_TEMPLATE } from './groups/core/pod/pod-template.ts';
import { REPLICATION_CONTROLLER } from './groups/core/replication-controller.ts';
import { RESOURCE_QUOTA } from './groups/core/resource-quota.ts';
import { SECRET } from './groups/core/secret.ts';
import { type ServiceNetworkOptions, serviceResource } from './groups/core/service/service.ts';
import { serviceAccountResource } from './groups/core/service-account.ts';
import { PERSISTENT_VOLUME } from './groups/core/volume/persistent-volume.ts';
import { PERSISTENT_VOLUME_CLAIM } from './groups/core/volume/persistent-volume-claim.ts';
import type { KubeContext, KubeResource } from './kube-context.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { baseResources } from './resources/base.ts';
import { clusterResources } from './resources/cluster.ts';
import { type ExtensionResourceOptions, extensionResources } from './resources/extension.ts';
import { networkResources } from './resources/network.ts';
import { rbacResources } from './resources/rbac.ts';
import { storageResources } from './resources/storage.ts';
import { workloadResources } from './resources/workloads.ts';
import { type RuntimeConfig, servedDefinition } from './runtime-config.ts';

export interface KubeResourceOptions extends ExtensionResourceOptions {
  /** The server that the kinds are declared for. */
  readonly kube: KubeContext;
  /** Kinds without an enabled version are stored but not served. */
  readonly runtimeConfig: RuntimeConfig;
  /** `--event-ttl`; 0 keeps events for ever. */
  readonly eventTtlSeconds: number;
  /** The subresource `token` of ServiceAccounts. */
  readonly token: SubresourceDefinition;
  readonly network: ServiceNetworkOptions;
  readonly rbac: RbacAuthorizer;
}

export function kubeResources(options: KubeResourceOptions): readonly KubeResource[] {
  const { kube } = options;
  const kinds: readonly KubeResource[] = [
    // core; Event also in events.k8s.io
    bindingResource(kube),
    COMPONENT_STATUS,
    CONFIG_MAP,
    ENDPOINTS,
    eventResource(options.eventTtlSeconds),
    LIMIT_RANGE,
    NAMESPACE,
    nodeResource(kube),
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    podResource(kube),
    POD_TEMPLATE,
    REPLICATION_CONTROLLER,
    RESOURCE_QUOTA,
    SECRET,
    serviceResource(kube, options.network),
    serviceAccountResource(options.token),

    // coordination.k8s.io
    ...baseResources(),
    ...workloadResources(),
    ...networkResources(),
    ...storageResources(),
    ...clusterResources(),
    ...extensionResources(options),
    ...rbacResources(options.rbac),
  ];
  return kinds.map((kind) => ({ ...kind, definition: servedDefinition(kind.definition, options.runtimeConfig) }));
}
