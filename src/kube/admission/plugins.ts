/** The compiled-in admission plugins beside NamespaceLifecycle. Invariant: one plugin a file or folder; this only lists them, `src/admission/plugin-chain.ts` knows their order. */
import type { AdmissionPlugin } from '../../server/admission.ts';
import type { KubeContext } from '../kube-context.ts';
import { alwaysAdmit, alwaysDeny } from './always.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
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
import { writeQuotaUse } from './resource-quota/quota-status.ts';
import { resourceQuota } from './resource-quota/resource-quota.ts';
import { createNamespace, existingPods } from './server-objects.ts';
import { serviceAccount } from './service-account/service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const POD_GROUP = { group: 'scheduling.k8s.io', version: 'v1alpha2', kind: 'PodGroup' };

export function compiledInPlugins(
  world: KubeContext,
  tolerations: TolerationDefaults = {},
): readonly AdmissionPlugin[] {
  const authorizer = (): ReturnType<KubeContext['authorizer']> => world.authorizer();
  const reader = (plural: string) => {
    let made: ReturnType<KubeContext['reader']> | undefined;
    return (): ReturnType<KubeContext['reader']> => {
      made ??= world.reader(plural);
      return made;
    };
  };
  const nodes = reader('nodes');
  const namespaces = world.lister('namespaces');
  const storageClasses = world.lister('storageclasses');
  return [
    alwaysAdmit(),
    namespaceAutoProvision(namespaces, (name) => createNamespace(world, name)),
    namespaceExists(namespaces),
    limitPodHardAntiAffinityTopology(),
    limitRanger(world.lister('limitranges')),
    serviceAccount({ accounts: reader('serviceaccounts'), random: (below) => world.host.random(below) }),
    nodeRestriction({
      nodes,
      pods: reader('pods'),
      claims: reader('persistentvolumeclaims'),
      volumes: reader('persistentvolumes'),
      drivers: reader('csidrivers'),
      authorizer,
    }),
    taintNodesByCondition(),
    alwaysPullImages(),
    podSecurity({
      namespaces,
      pods: (namespace, limit) => existingPods(world, namespace, limit),
      now: () => world.host.clock.now(),
    }),
    podNodeSelector(namespaces),
    priority(world.lister('priorityclasses')),
    defaultTolerationSeconds(tolerations),
    podTolerationRestriction(namespaces),
    extendedResourceToleration(),
    defaultStorageClass(storageClasses),
    storageObjectInUseProtection(),
    podGroupProtection(),
    ownerReferencesPermissionEnforcement((kind) => {
      const plural = world.pluralOf(kind);
      return plural === undefined ? undefined : { plural, namespaced: world.isNamespaced(kind) };
    }, authorizer),
    persistentVolumeClaimResize(storageClasses),
    runtimeClass(world.lister('runtimeclasses')),
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    clusterTrustBundleAttest(authorizer),
    certificateSubjectRestriction(),
    defaultIngressClass(world.lister('ingressclasses')),
    denyServiceExternalIps(),
    podTopologyLabels(nodes),
    podGroupWorkloadExists(reader('workloads')),
    nodeDeclaredFeatureValidator(nodes),
    jobValidation(world.lister('podgroups'), () => world.pluralOf(POD_GROUP) !== undefined),
    podResizeValidator(nodes),
    resourceQuota({
      quotas: world.lister('resourcequotas'),
      writeUsed: (quota, used) => writeQuotaUse(world, quota, used),
      now: () => world.host.clock.now(),
    }),
    alwaysDeny(),
  ];
}
