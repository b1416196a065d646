/** Kinds by which servers and schedulers agree among themselves, beta and alpha all of them: off unless `--runtime-config` turns them on. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import {
  storageVersionTable,
  validateStorageVersion,
  validateStorageVersionStatus,
} from '../groups/apiserverinternal/storage-version.ts';
import {
  leaseCandidateTable,
  validateLeaseCandidate,
  validateLeaseCandidateUpdate,
} from '../groups/coordination/lease-candidate.ts';
import {
  podGroupTable,
  preparePodGroupForCreate,
  preparePodGroupForUpdate,
  preparePodGroupStatusForUpdate,
  validatePodGroup,
  validatePodGroupStatusUpdate,
  validatePodGroupUpdate,
} from '../groups/scheduling/pod-group.ts';
import {
  prepareWorkloadForCreate,
  prepareWorkloadForUpdate,
  validateWorkload,
  validateWorkloadUpdate,
  workloadTable,
} from '../groups/scheduling/workload.ts';
import {
  storageVersionMigrationTable,
  validateStorageVersionMigration,
  validateStorageVersionMigrationStatusUpdate,
  validateStorageVersionMigrationUpdate,
} from '../groups/storagemigration/storage-version-migration.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, keepAllButStatus, keepStatus } from '../shared/object-fields.ts';

export function internalResources(): readonly KubeResource[] {
  return [
    { definition: LEASE_CANDIDATES },
    { definition: STORAGE_VERSIONS },
    { definition: STORAGE_VERSION_MIGRATIONS },
    { definition: WORKLOADS },
    { definition: POD_GROUPS },
  ];
}

const LEASE_CANDIDATE = {
  group: 'coordination.k8s.io',
  kind: 'LeaseCandidate',
  table: leaseCandidateTable,
} as const;

const LEASE_CANDIDATES: ResourceDefinition = storedResource({
  plural: 'leasecandidates',
  scope: 'Namespaced',
  versions: [
    builtInVersion({ ...LEASE_CANDIDATE, version: 'v1beta1' }),
    builtInVersion({ ...LEASE_CANDIDATE, version: 'v1alpha2' }),
  ],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    validate: validateLeaseCandidate,
    validateUpdate: validateLeaseCandidateUpdate,
  }),
});

const STORAGE_VERSION_STRATEGY: Strategy = builtInStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: clearStatus,
  validate: validateStorageVersion,
  prepareForUpdate: keepStatus,
});

const STORAGE_VERSIONS: ResourceDefinition = storedResource({
  plural: 'storageversions',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      group: 'internal.apiserver.k8s.io',
      version: 'v1alpha1',
      kind: 'StorageVersion',
      table: storageVersionTable,
    }),
  ],
  strategy: STORAGE_VERSION_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...STORAGE_VERSION_STRATEGY,
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateStorageVersionStatus,
    }),
  ],
});

const MIGRATION_STRATEGY: Strategy = builtInStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: clearStatus,
  validate: validateStorageVersionMigration,
  validatesMetadata: true,
  prepareForUpdate: keepStatus,
  validateUpdate: validateStorageVersionMigrationUpdate,
});

const STORAGE_VERSION_MIGRATIONS: ResourceDefinition = storedResource({
  plural: 'storageversionmigrations',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      group: 'storagemigration.k8s.io',
      version: 'v1beta1',
      kind: 'StorageVersionMigration',
      table: storageVersionMigrationTable,
    }),
  ],
  strategy: MIGRATION_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...MIGRATION_STRATEGY,
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateStorageVersionMigrationStatusUpdate,
    }),
  ],
});

const SCHEDULING = { group: 'scheduling.k8s.io', version: 'v1alpha2' } as const;

const WORKLOADS: ResourceDefinition = storedResource({
  plural: 'workloads',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...SCHEDULING, kind: 'Workload', table: workloadTable })],
  strategy: builtInStrategy({
    prepareForCreate: prepareWorkloadForCreate,
    validate: validateWorkload,
    prepareForUpdate: prepareWorkloadForUpdate,
    validateUpdate: validateWorkloadUpdate,
  }),
});

const POD_GROUP_STRATEGY: Strategy = builtInStrategy({
  prepareForCreate: preparePodGroupForCreate,
  validate: validatePodGroup,
  prepareForUpdate: preparePodGroupForUpdate,
  validateUpdate: validatePodGroupUpdate,
});

const POD_GROUPS: ResourceDefinition = storedResource({
  plural: 'podgroups',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...SCHEDULING, kind: 'PodGroup', table: podGroupTable })],
  strategy: POD_GROUP_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...POD_GROUP_STRATEGY,
      prepareForUpdate: preparePodGroupStatusForUpdate,
      validateUpdate: validatePodGroupStatusUpdate,
    }),
  ],
});
