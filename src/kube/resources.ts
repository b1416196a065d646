/**
 * The list of the built-in kinds. Adding a kind is one file in `groups/<group>/` and one line here.
 *
 * The file `groups/<group>/<kind>.ts` exports one `KubeResource`, named after the kind:
 *
 * ```ts
 * export const CONFIG_MAP: KubeResource = {
 *   definition: storedResource({
 *     plural: 'configmaps',
 *     scope: 'Namespaced',
 *     versions: [builtInVersion({ group: '', version: 'v1', kind: 'ConfigMap', table: configMapTable })],
 *     strategy: strategyWithDefaults({
 *       validate: validateConfigMap,
 *       validatesMetadata: true,
 *       validateUpdate: validateConfigMapUpdate,
 *     }),
 *   }),
 * };
 * ```
 *
 * - A kind that needs settings, or the KubeContext for its subresources, is a function that returns the KubeResource:
 *   `podResource(kube)`, `eventResource(ttlSeconds)`.
 * - The `status` subresource is `statusSubresource(STRATEGY, { ... })`.
 * - `wrapStore`, in the kind's file, makes a store that wraps the registry store.
 * - A kind that is not stored is an `unstoredResource` with a store of its own, or a `reviewResource`.
 * - The order in a file: constants, table, declaration, defaults, strategy methods, validation, warnings.
 * - A kind that does not fit into one file has a folder: `core/pod/pod.ts` declares Pod, and its rules are beside it.
 *
 * Rules are pure: defaults and `prepareFor...` modify only the object they are given, validation only returns issues.
 * Issues have the texts and the order of kube-apiserver's; issues about entries of a map come in the order of the
 * object.
 */

import type { Clock } from '../base/clock.ts';
import type { ResourceDefinition, SubresourceDefinition } from '../server/resource/resource-definition.ts';
import { withReservedNames } from './groups/admissionregistration/admission-definitions.ts';
import { MUTATING_ADMISSION_POLICY } from './groups/admissionregistration/mutating-admission-policy.ts';
import { MUTATING_ADMISSION_POLICY_BINDING } from './groups/admissionregistration/mutating-admission-policy-binding.ts';
import { MUTATING_WEBHOOK_CONFIGURATION } from './groups/admissionregistration/mutating-webhook-configuration.ts';
import { VALIDATING_ADMISSION_POLICY } from './groups/admissionregistration/validating-admission-policy.ts';
import { VALIDATING_ADMISSION_POLICY_BINDING } from './groups/admissionregistration/validating-admission-policy-binding.ts';
import { VALIDATING_WEBHOOK_CONFIGURATION } from './groups/admissionregistration/validating-webhook-configuration.ts';
import { STORAGE_VERSION } from './groups/apiserverinternal/storage-version.ts';
import { CONTROLLER_REVISION } from './groups/apps/controller-revision.ts';
import { DAEMON_SET } from './groups/apps/daemon-set.ts';
import { DEPLOYMENT } from './groups/apps/deployment.ts';
import { REPLICA_SET } from './groups/apps/replica-set.ts';
import { STATEFUL_SET } from './groups/apps/stateful-set.ts';
import { selfSubjectReviewResource } from './groups/authentication/self-subject-review.ts';
import { type TokenReviewOptions, tokenReviewResource } from './groups/authentication/token-review.ts';
import { localSubjectAccessReviewResource } from './groups/authorization/local-subject-access-review.ts';
import { selfSubjectAccessReviewResource } from './groups/authorization/self-subject-access-review.ts';
import { selfSubjectRulesReviewResource } from './groups/authorization/self-subject-rules-review.ts';
import { subjectAccessReviewResource } from './groups/authorization/subject-access-review.ts';
import { HORIZONTAL_POD_AUTOSCALER } from './groups/autoscaling/horizontal-pod-autoscaler.ts';
import { CRON_JOB } from './groups/batch/cron-job.ts';
import { JOB } from './groups/batch/job/job.ts';
import { certificateSigningRequestResource } from './groups/certificates/certificate-signing-request.ts';
import { CLUSTER_TRUST_BUNDLE } from './groups/certificates/cluster-trust-bundle.ts';
import { podCertificateRequestResource } from './groups/certificates/pod-certificate-request.ts';
import { LEASE } from './groups/coordination/lease.ts';
import { LEASE_CANDIDATE } from './groups/coordination/lease-candidate.ts';
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
import { ENDPOINT_SLICE } from './groups/discovery/endpoint-slice.ts';
import { FLOW_SCHEMA } from './groups/flowcontrol/flow-schema.ts';
import { PRIORITY_LEVEL_CONFIGURATION } from './groups/flowcontrol/priority-level-configuration.ts';
import { INGRESS } from './groups/networking/ingress.ts';
import { INGRESS_CLASS } from './groups/networking/ingress-class.ts';
import { IP_ADDRESS } from './groups/networking/ip-address.ts';
import { NETWORK_POLICY } from './groups/networking/network-policy.ts';
import { SERVICE_CIDR } from './groups/networking/service-cidr.ts';
import { RUNTIME_CLASS } from './groups/node/runtime-class.ts';
import { POD_DISRUPTION_BUDGET } from './groups/policy/pod-disruption-budget.ts';
import { clusterRoleResource } from './groups/rbac/cluster-role.ts';
import { clusterRoleBindingResource } from './groups/rbac/cluster-role-binding.ts';
import { roleResource } from './groups/rbac/role.ts';
import { roleBindingResource } from './groups/rbac/role-binding.ts';
import { DEVICE_CLASS } from './groups/resource/device-class.ts';
import { deviceTaintRuleResource } from './groups/resource/device-taint-rule.ts';
import { resourceClaimResource } from './groups/resource/resource-claim/resource-claim.ts';
import { resourceClaimTemplateResource } from './groups/resource/resource-claim-template.ts';
import { RESOURCE_POOL_STATUS_REQUEST } from './groups/resource/resource-pool-status-request.ts';
import { resourceSliceResource } from './groups/resource/resource-slice/resource-slice.ts';
import { POD_GROUP } from './groups/scheduling/pod-group.ts';
import { PRIORITY_CLASS } from './groups/scheduling/priority-class.ts';
import { WORKLOAD } from './groups/scheduling/workload.ts';
import { CSI_DRIVER } from './groups/storage/csi-driver.ts';
import { CSI_NODE } from './groups/storage/csi-node.ts';
import { CSI_STORAGE_CAPACITY } from './groups/storage/csi-storage-capacity.ts';
import { STORAGE_CLASS } from './groups/storage/storage-class.ts';
import { VOLUME_ATTACHMENT } from './groups/storage/volume-attachment.ts';
import { VOLUME_ATTRIBUTES_CLASS } from './groups/storage/volume-attributes-class.ts';
import { STORAGE_VERSION_MIGRATION } from './groups/storagemigration/storage-version-migration.ts';
import type { KubeContext, KubeResource } from './kube-context.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { type RuntimeConfig, servedDefinition } from './runtime-config.ts';

const ADMISSION_KINDS: readonly KubeResource[] = [
  MUTATING_ADMISSION_POLICY,
  MUTATING_ADMISSION_POLICY_BINDING,
  MUTATING_WEBHOOK_CONFIGURATION,
  VALIDATING_ADMISSION_POLICY,
  VALIDATING_ADMISSION_POLICY_BINDING,
  VALIDATING_WEBHOOK_CONFIGURATION,
];

export interface KubeResourceOptions {
  /** The server that the kinds are declared for. */
  readonly kube: KubeContext;
  /** Kinds without an enabled version are stored but not served. */
  readonly runtimeConfig: RuntimeConfig;
  /** `--event-ttl`. 0 keeps events for ever. */
  readonly eventTtlSeconds: number;
  /** Whether names ending with `.static.k8s.io` are reserved for manifest files. */
  readonly readsAdmissionManifests: boolean;
  /** The subresource `token` of ServiceAccounts. */
  readonly token: SubresourceDefinition;
  readonly network: ServiceNetworkOptions;
  readonly rbac: RbacAuthorizer;
  readonly tokenReview: TokenReviewOptions;
  readonly clock: Pick<Clock, 'now'>;
  /** Kinds of other layers that this server serves: APIService, until the aggregator does. */
  readonly others: readonly ResourceDefinition[];
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

    // admissionregistration.k8s.io
    ...(options.readsAdmissionManifests ? ADMISSION_KINDS.map(withReservedNames) : ADMISSION_KINDS),

    // apps
    CONTROLLER_REVISION,
    DAEMON_SET,
    DEPLOYMENT,
    REPLICA_SET,
    STATEFUL_SET,

    // authentication.k8s.io
    selfSubjectReviewResource(options.clock),
    tokenReviewResource(options.tokenReview),

    // authorization.k8s.io
    localSubjectAccessReviewResource(kube.authorizer),
    selfSubjectAccessReviewResource(kube.authorizer),
    selfSubjectRulesReviewResource(kube.authorizer),
    subjectAccessReviewResource(kube.authorizer),

    // autoscaling
    HORIZONTAL_POD_AUTOSCALER,

    // batch
    CRON_JOB,
    JOB,

    // certificates.k8s.io
    certificateSigningRequestResource(),
    CLUSTER_TRUST_BUNDLE,
    podCertificateRequestResource(kube),

    // coordination.k8s.io
    LEASE,
    LEASE_CANDIDATE,

    // discovery.k8s.io
    ENDPOINT_SLICE,

    // flowcontrol.apiserver.k8s.io
    FLOW_SCHEMA,
    PRIORITY_LEVEL_CONFIGURATION,

    // internal.apiserver.k8s.io
    STORAGE_VERSION,

    // networking.k8s.io
    INGRESS,
    INGRESS_CLASS,
    IP_ADDRESS,
    NETWORK_POLICY,
    SERVICE_CIDR,

    // node.k8s.io
    RUNTIME_CLASS,

    // policy
    POD_DISRUPTION_BUDGET,

    // rbac.authorization.k8s.io
    clusterRoleResource(options.rbac),
    clusterRoleBindingResource(options.rbac),
    roleResource(options.rbac),
    roleBindingResource(options.rbac),

    // resource.k8s.io
    DEVICE_CLASS,
    deviceTaintRuleResource(options.clock),
    resourceClaimResource(kube),
    resourceClaimTemplateResource(kube),
    RESOURCE_POOL_STATUS_REQUEST,
    resourceSliceResource(options.clock),

    // scheduling.k8s.io
    POD_GROUP,
    PRIORITY_CLASS,
    WORKLOAD,

    // storage.k8s.io
    CSI_DRIVER,
    CSI_NODE,
    CSI_STORAGE_CAPACITY,
    STORAGE_CLASS,
    VOLUME_ATTACHMENT,
    VOLUME_ATTRIBUTES_CLASS,

    // storagemigration.k8s.io
    STORAGE_VERSION_MIGRATION,

    ...options.others.map((definition) => ({ definition })),
  ];
  return kinds.map((kind) => ({ ...kind, definition: servedDefinition(kind.definition, options.runtimeConfig) }));
}
