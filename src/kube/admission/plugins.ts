/** The compiled-in admission plugins beside NamespaceLifecycle. Invariant: one plugin a file or folder; this only lists them, `src/admission/chain.ts` knows their order. */
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/meta/list-options.ts';
import { BugError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import { internalContext } from '../../server/registry/internal-context.ts';
import type { KubeWorld } from '../kube-world.ts';
import { alwaysAdmit, alwaysDeny } from './always.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { defaultTolerationSeconds, type TolerationDefaults } from './default-toleration-seconds.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { limitRanger } from './limit-ranger/limit-ranger.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-plugins.ts';
import { podNodeSelector, podTolerationRestriction } from './namespace-scheduling.ts';
import { nodeRestriction } from './node-restriction/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './pod-node-updates.ts';
import { alwaysPullImages, extendedResourceToleration, limitPodHardAntiAffinityTopology } from './pod-policies.ts';
import type { ExistingPods } from './pod-security/existing-pods.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priority } from './priority.ts';
import { writeQuotaUse } from './resource-quota/quota-status.ts';
import { resourceQuota } from './resource-quota/resource-quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account/service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

/** On in the reference, and without effect there too: the feature gates of what they look at are off by default. */
const INACTIVE = ['JobValidation', 'PodGroupProtection', 'PodGroupWorkloadExists'];

export function compiledInPlugins(world: KubeWorld, tolerations: TolerationDefaults = {}): readonly AdmissionPlugin[] {
  const authorizer = (): ReturnType<KubeWorld['authorizer']> => world.authorizer();
  const reader = (plural: string) => {
    let made: ReturnType<KubeWorld['reader']> | undefined;
    return (): ReturnType<KubeWorld['reader']> => {
      made ??= world.reader(plural);
      return made;
    };
  };
  const nodes = reader('nodes');
  const namespaces = world.lister('namespaces');
  const storageClasses = world.lister('storageclasses');
  return [
    ...INACTIVE.map((name) => ({ name, handles: () => false })),
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
    nodeDeclaredFeatureValidator(nodes),
    podResizeValidator(nodes),
    resourceQuota({
      quotas: world.lister('resourcequotas'),
      writeUsed: (quota, used) => writeQuotaUse(world, quota, used),
      now: () => world.host.clock.now(),
    }),
    alwaysDeny(),
  ];
}

/** The first pods of a namespace, parsed for this one question: nobody keeps all pods parsed. */
async function existingPods(world: KubeWorld, namespace: string, limit: number): Promise<ExistingPods> {
  const { definition, store } = world.resource('pods');
  const version = definition.storageVersion;
  if (version === undefined || store.list === undefined) throw new BugError('pods cannot be listed');
  const page = await store.list(internalContext(version, namespace, ''), { ...DEFAULT_LIST_OPTIONS, limit });
  const pods = page.items
    .map((bytes) => readJson(bytes))
    .flatMap((read) => (read.ok && isJsonObject(read.value) ? [read.value] : []));
  return { pods, total: page.items.length + (page.remaining ?? 0) };
}

async function createNamespace(world: KubeWorld, name: string): Promise<void> {
  const { definition, store } = world.resource('namespaces');
  const version = definition.storageVersion;
  if (version === undefined || store.create === undefined) throw new BugError('namespaces cannot be created');
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  version.setDefaults?.(object);
  const request = { dryRun: false, fieldManager: 'kube-apiserver', validate: () => undefined };
  await store.create(internalContext(version, '', ''), object, request);
}
