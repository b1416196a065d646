/**
 * The list of compiled-in admission plugins, without NamespaceLifecycle. `src/admission/plugin-chain.ts` orders them.
 */

import type { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';

import type { KubeContext } from '../kube-context.ts';
import type { PluginConfigurations } from '../kube-server-options.ts';
import { alwaysAdmit, alwaysDeny } from './always.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { eventRateLimit } from './event-rate-limit/event-rate-limit.ts';
import { limitRanger } from './limit-ranger/limit-ranger.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-plugins.ts';
import { nodeRestriction } from './node-restriction/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { defaultTolerationSeconds, type TolerationDefaults } from './pod/default-toleration-seconds.ts';
import { podNodeSelector, podTolerationRestriction } from './pod/namespace-scheduling.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod/pod-groups.ts';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './pod/pod-node-updates.ts';
import { alwaysPullImages, extendedResourceToleration, limitPodHardAntiAffinityTopology } from './pod/pod-policies.ts';
import { podTopologyLabels } from './pod/pod-topology-labels.ts';
import { priority } from './pod/priority.ts';
import { runtimeClass } from './pod/runtime-class.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { createPodSecurityMetrics } from './pod-security/pod-security-metrics.ts';
import { writeQuotaUsage } from './resource-quota/quota-status.ts';
import { resourceQuota } from './resource-quota/resource-quota.ts';
import { createNamespace, existingPods } from './server-objects.ts';
import { serviceAccount } from './service-account/service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const POD_GROUP = { group: 'scheduling.k8s.io', version: 'v1alpha2', kind: 'PodGroup' };

export interface CompiledInOptions {
  readonly tolerations?: TolerationDefaults | undefined;
  /** Default: plugins count nothing. */
  readonly metricRegistry?: MetricRegistry | undefined;
  readonly configurations?: PluginConfigurations | undefined;
}

export function compiledInPlugins(kube: KubeContext, options: CompiledInOptions = {}): readonly AdmissionPlugin[] {
  const { tolerations = {}, metricRegistry, configurations = {} } = options;
  const {
    podSecurity: podSecurityConfiguration,
    eventLimits,
    nodeSelectors,
    podTolerations,
    limitedResources,
  } = configurations;
  const { authorizer } = kube;
  const nodes = kube.reader('nodes');
  const namespaces = kube.lister('namespaces');
  const storageClasses = kube.lister('storageclasses');
  return [
    alwaysAdmit(),
    namespaceAutoProvision(namespaces, (name) => createNamespace(kube, name)),
    namespaceExists(namespaces),
    limitPodHardAntiAffinityTopology(),
    limitRanger(kube.lister('limitranges'), () => kube.host.clock.now()),
    serviceAccount({
      accounts: kube.reader('serviceaccounts'),
      clock: kube.host.clock,
      random: (below) => kube.host.random(below),
    }),
    nodeRestriction({
      nodes,
      pods: kube.reader('pods'),
      claims: kube.reader('persistentvolumeclaims'),
      volumes: kube.reader('persistentvolumes'),
      drivers: kube.reader('csidrivers'),
      authorizer,
    }),
    taintNodesByCondition(),
    alwaysPullImages(),
    podSecurity({
      namespaces,
      pods: (namespace, limit) => existingPods(kube, namespace, limit),
      now: () => kube.host.clock.now(),
      metrics: metricRegistry && createPodSecurityMetrics(metricRegistry),
      configuration: podSecurityConfiguration,
    }),
    podNodeSelector(namespaces, nodeSelectors),
    priority(kube.lister('priorityclasses')),
    defaultTolerationSeconds(tolerations),
    podTolerationRestriction(namespaces, podTolerations),
    ...(eventLimits === undefined ? [] : [eventRateLimit(eventLimits, kube.host.clock)]),
    extendedResourceToleration(),
    defaultStorageClass(storageClasses),
    storageObjectInUseProtection(),
    podGroupProtection(),
    ownerReferencesPermissionEnforcement((kind) => {
      const plural = kube.pluralOf(kind);
      return plural === undefined ? undefined : { plural, namespaced: kube.isNamespaced(kind) };
    }, authorizer),
    persistentVolumeClaimResize(storageClasses),
    runtimeClass(kube.lister('runtimeclasses')),
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    clusterTrustBundleAttest(authorizer),
    certificateSubjectRestriction(),
    defaultIngressClass(kube.lister('ingressclasses')),
    denyServiceExternalIps(),
    podTopologyLabels(nodes),
    podGroupWorkloadExists(kube.reader('workloads')),
    nodeDeclaredFeatureValidator(nodes),
    jobValidation(kube.lister('podgroups'), () => kube.pluralOf(POD_GROUP) !== undefined),
    podResizeValidator(nodes),
    resourceQuota({
      quotas: kube.lister('resourcequotas'),
      writeUsed: (quota, used) => writeQuotaUsage(kube, quota, used),
      now: () => kube.host.clock.now(),
      limited: limitedResources,
    }),
    alwaysDeny(),
  ];
}
