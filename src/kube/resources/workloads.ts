/** What makes pods: apps, batch, ReplicationController; autoscaling and disruption budgets. Invariant: how they work is in `rules/workload/`. */
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { CONTROLLER_REVISION_RULES, controllerRevisionTable } from '../groups/apps/controller-revision.ts';
import {
  DAEMON_SET_RULES,
  DAEMON_SET_STATUS_RULES,
  daemonSetProblem,
  daemonSetTable,
  setDaemonSetDefaults,
} from '../groups/apps/daemon-set.ts';
import {
  DEPLOYMENT_RULES,
  DEPLOYMENT_STATUS_RULES,
  deploymentProblem,
  deploymentTable,
  setDeploymentDefaults,
} from '../groups/apps/deployment.ts';
import {
  REPLICA_SET_RULES,
  REPLICA_SET_STATUS_RULES,
  replicaSetTable,
  setReplicaSetDefaults,
} from '../groups/apps/replica-set.ts';
import {
  STATEFUL_SET_RULES,
  STATEFUL_SET_STATUS_RULES,
  setStatefulSetDefaults,
  statefulSetTable,
} from '../groups/apps/stateful-set.ts';
import {
  AUTOSCALER_RULES,
  AUTOSCALER_STATUS_RULES,
  keepEmptyPolicies,
  setAutoscalerDefaults,
  setAutoscalerV1Defaults,
} from '../groups/autoscaling/autoscaler.ts';
import { autoscalerFromV1, autoscalerToV1 } from '../groups/autoscaling/autoscaler-conversion.ts';
import { autoscalerTable, autoscalerV1Table } from '../groups/autoscaling/autoscaler-table.ts';
import { scaleSubresource } from '../groups/autoscaling/scale.ts';
import { CRON_JOB_RULES, CRON_JOB_STATUS_RULES, cronJobTable, setCronJobDefaults } from '../groups/batch/cron-job.ts';
import { JOB_RULES, JOB_STATUS_RULES, setJobDefaults } from '../groups/batch/job.ts';
import { frontJobs } from '../groups/batch/job-store.ts';
import { jobTable } from '../groups/batch/job-table.ts';
import {
  DISRUPTION_BUDGET_RULES,
  DISRUPTION_BUDGET_STATUS_RULES,
  disruptionBudgetTable,
  setDisruptionBudgetDefaults,
} from '../groups/policy/disruption-budget.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';

export function workloadResources(): readonly KubeResource[] {
  return [
    { definition: DEPLOYMENTS },
    { definition: REPLICA_SETS },
    { definition: STATEFUL_SETS },
    { definition: DAEMON_SETS },
    { definition: CONTROLLER_REVISIONS },
    { definition: JOBS, wrapStore: frontJobs },
    { definition: CRON_JOBS },
    { definition: AUTOSCALERS },
    { definition: DISRUPTION_BUDGETS },
  ];
}

const APPS = { group: 'apps', version: 'v1' } as const;
const BATCH = { group: 'batch', version: 'v1' } as const;
const ALL = ['all'] as const;

/** The subresource `status` of a kind: its own rules where it has some, and no warnings. */
function statusOf(rules: Partial<Strategy>, status: Partial<Strategy>): SubresourceDefinition {
  const { validateUpdate: _validate, warningsOnUpdate: _warnings, ...kept } = rules;
  return updateSubresource('status', builtInStrategy({ ...kept, ...status }));
}

/** A version whose bodies must also pass `problem`: what it says is why they cannot be read. */
function checkedVersion(
  version: VersionDefinition,
  problem: (object: JsonObject) => string | undefined,
): VersionDefinition {
  return {
    ...version,
    normalize: (object) => {
      const result = version.normalize(object);
      const message = result.ok ? problem(result.object) : undefined;
      return message === undefined ? result : { ok: false, message };
    },
  };
}

/** A version in which a list of policies that is empty differs from one that is absent. */
function keepingEmptyPolicies(version: VersionDefinition): VersionDefinition {
  return {
    ...version,
    normalize: (object) => {
      const result = version.normalize(object);
      if (result.ok) keepEmptyPolicies(result.object, object);
      return result;
    },
  };
}

const DEPLOYMENTS: ResourceDefinition = storedResource({
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    checkedVersion(
      builtInVersion({ ...APPS, kind: 'Deployment', setDefaults: setDeploymentDefaults, table: deploymentTable }),
      deploymentProblem,
    ),
  ],
  strategy: builtInStrategy(DEPLOYMENT_RULES),
  subresources: [
    statusOf(DEPLOYMENT_RULES, DEPLOYMENT_STATUS_RULES),
    scaleSubresource({ group: 'apps', plural: 'deployments', selector: 'object' }),
  ],
});

const REPLICA_SETS: ResourceDefinition = storedResource({
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      ...APPS,
      kind: 'ReplicaSet',
      setDefaults: setReplicaSetDefaults,
      table: replicaSetTable,
    }),
  ],
  strategy: builtInStrategy(REPLICA_SET_RULES),
  subresources: [
    statusOf(REPLICA_SET_RULES, REPLICA_SET_STATUS_RULES),
    scaleSubresource({ group: 'apps', plural: 'replicasets', selector: 'object' }),
  ],
});

const STATEFUL_SETS: ResourceDefinition = storedResource({
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    builtInVersion({ ...APPS, kind: 'StatefulSet', setDefaults: setStatefulSetDefaults, table: statefulSetTable }),
  ],
  strategy: builtInStrategy(STATEFUL_SET_RULES),
  subresources: [
    statusOf(STATEFUL_SET_RULES, STATEFUL_SET_STATUS_RULES),
    scaleSubresource({ group: 'apps', plural: 'statefulsets', selector: 'object' }),
  ],
});

const DAEMON_SETS: ResourceDefinition = storedResource({
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    checkedVersion(
      builtInVersion({ ...APPS, kind: 'DaemonSet', setDefaults: setDaemonSetDefaults, table: daemonSetTable }),
      daemonSetProblem,
    ),
  ],
  strategy: builtInStrategy(DAEMON_SET_RULES),
  subresources: [statusOf(DAEMON_SET_RULES, DAEMON_SET_STATUS_RULES)],
});

const CONTROLLER_REVISIONS: ResourceDefinition = storedResource({
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...APPS, kind: 'ControllerRevision', table: controllerRevisionTable })],
  strategy: builtInStrategy(CONTROLLER_REVISION_RULES),
});

const JOBS: ResourceDefinition = storedResource({
  plural: 'jobs',
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      ...BATCH,
      kind: 'Job',
      setDefaults: setJobDefaults,
      table: jobTable,
      selectableFields: ['status.successful'],
      fieldSources: { 'status.successful': ['status.succeeded'] },
    }),
  ],
  strategy: builtInStrategy(JOB_RULES),
  subresources: [statusOf(JOB_RULES, JOB_STATUS_RULES)],
});

const CRON_JOBS: ResourceDefinition = storedResource({
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [builtInVersion({ ...BATCH, kind: 'CronJob', setDefaults: setCronJobDefaults, table: cronJobTable })],
  strategy: builtInStrategy(CRON_JOB_RULES),
  subresources: [statusOf(CRON_JOB_RULES, CRON_JOB_STATUS_RULES)],
});

/** Stored and judged as autoscaling/v2. */
const AUTOSCALERS: ResourceDefinition = storedResource({
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ALL,
  scope: 'Namespaced',
  versions: [
    keepingEmptyPolicies(
      builtInVersion({
        group: 'autoscaling',
        version: 'v2',
        kind: 'HorizontalPodAutoscaler',
        setDefaults: setAutoscalerDefaults,
        table: autoscalerTable,
      }),
    ),
    builtInVersion({
      group: 'autoscaling',
      version: 'v1',
      kind: 'HorizontalPodAutoscaler',
      setDefaults: setAutoscalerV1Defaults,
      table: autoscalerV1Table,
    }),
  ],
  convert: (objects, _from, to) => objects.map(to.version === 'v1' ? autoscalerToV1 : autoscalerFromV1),
  strategy: builtInStrategy(AUTOSCALER_RULES),
  subresources: [statusOf(AUTOSCALER_RULES, AUTOSCALER_STATUS_RULES)],
});

const DISRUPTION_BUDGETS: ResourceDefinition = storedResource({
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: 'policy',
      version: 'v1',
      kind: 'PodDisruptionBudget',
      setDefaults: setDisruptionBudgetDefaults,
      table: disruptionBudgetTable,
    }),
  ],
  strategy: builtInStrategy(DISRUPTION_BUDGET_RULES),
  subresources: [statusOf(DISRUPTION_BUDGET_RULES, DISRUPTION_BUDGET_STATUS_RULES)],
});
