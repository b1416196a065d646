/** The kind CronJob: declaration, defaults and strategy. Validation is in `cron-job-validation.ts`. */
import { ensureObject, fieldAt, listAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, sinceText, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepSpec, keepStatus, setDefault } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import {
  beginObject,
  countSpecChange,
  generationChanged,
  nameWarnings,
  SPEC,
  selectorColumn,
  setDefaultText,
  templateColumns,
} from '../../shared/workload-rules.ts';
import { dropDisabledPodFields } from '../core/pod/pod-template-spec.ts';
import { validateCronJob, validateCronJobUpdate } from './cron-job-validation.ts';
import { jobSpecWarnings, setJobSpecDefaults } from './job/job.ts';

const cronJobTable: () => TableDefinition = tableOf(
  NAME,
  column('Schedule', 'When it makes a Job.', (object) => textAt(object, 'spec', 'schedule')),
  column('Timezone', 'Whose clock the schedule means.', (object) =>
    fieldAt(object, 'spec', 'timeZone') === undefined ? '<none>' : textAt(object, 'spec', 'timeZone'),
  ),
  column('Suspend', 'Whether it makes no Jobs for now.', suspendText, { type: 'boolean' }),
  column('Active', 'Jobs that run.', (object) => listAt(object, 'status', 'active').length, { type: 'integer' }),
  column('Last Schedule', 'How long ago it made the last one.', (object, now) => {
    const time = textAt(object, 'status', 'lastScheduleTime');
    return time === '' ? '<none>' : sinceText(time, now);
  }),
  AGE,
  ...templateColumns('spec', 'jobTemplate', 'spec', 'template'),
  selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
);

const CRON_JOB_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    beginObject(object, {});
    dropDisabledPodFields(podTemplateOf(object), undefined);
  },
  validate: validateCronJob,
  warningsOnCreate: (object) => [
    ...nameWarnings(object),
    ...jobSpecWarnings(jobSpecOf(object), undefined, SPEC.child('jobTemplate', 'spec')),
  ],
  prepareForUpdate: (object, old) => {
    keepStatus(object, old);
    dropDisabledPodFields(podTemplateOf(object), podTemplateOf(old));
    countSpecChange(object, old);
  },
  validateUpdate: validateCronJobUpdate,
  warningsOnUpdate: (object, old) => {
    const warnings = generationChanged(object, old)
      ? jobSpecWarnings(jobSpecOf(object), jobSpecOf(old), SPEC.child('jobTemplate', 'spec'))
      : [];
    if (textAt(object, 'spec', 'schedule').includes('TZ'))
      warnings.push(
        'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      );
    return warnings;
  },
});

export const CRON_JOB: KubeResource = {
  definition: storedResource({
    plural: 'cronjobs',
    shortNames: ['cj'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'batch',
        version: 'v1',
        kind: 'CronJob',
        setDefaults: setCronJobDefaults,
        table: cronJobTable,
      }),
    ],
    strategy: CRON_JOB_STRATEGY,
    // kube-apiserver does not validate the status of CronJobs.
    subresources: [statusSubresource(CRON_JOB_STRATEGY, { prepareForUpdate: keepSpec })],
  }),
};

function setCronJobDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setDefaultText(spec, 'concurrencyPolicy', 'Allow');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'successfulJobsHistoryLimit', 3);
  setDefault(spec, 'failedJobsHistoryLimit', 1);
  setJobSpecDefaults(ensureObject(ensureObject(spec, 'jobTemplate'), 'spec'));
}

function jobSpecOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec', 'jobTemplate', 'spec') ?? {};
}

function podTemplateOf(object: JsonObject): JsonObject {
  return objectAt(jobSpecOf(object), 'template') ?? {};
}

function suspendText(object: JsonObject): string {
  const suspend = fieldAt(object, 'spec', 'suspend');
  if (suspend === undefined) return '<unset>';
  return suspend === true ? 'True' : 'False';
}
