/** The table columns of Jobs. */
import { textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { formatHumanDuration } from '../../../../apimachinery/scalars/human-duration.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { AGE, column, NAME, sinceText, tableOf } from '../../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';
import { int32At } from '../../../shared/numbers.ts';
import { selectorColumn, templateColumns } from '../../../shared/workload-rules.ts';
import { jobConditionIs } from './job-conditions.ts';

export const jobTable: () => TableDefinition = tableOf(
  NAME,
  column('Status', 'What has become of it.', statusText),
  column('Completions', 'Pods that ended well, of those wanted.', completionsText),
  column('Duration', 'How long it took, or has taken so far.', durationText),
  AGE,
  ...templateColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
);

function statusText(job: JsonObject): string {
  const is = (type: string): boolean => jobConditionIs(job, type, 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (textAt(job, 'metadata', 'deletionTimestamp') !== '') return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function completionsText(job: JsonObject): string {
  const succeeded = int32At(job, 'status', 'succeeded') ?? 0;
  const completions = int32At(job, 'spec', 'completions');
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = int32At(job, 'spec', 'parallelism') ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText(job: JsonObject, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  if (start === '') return '';
  return end === '' ? sinceText(start, now) : formatHumanDuration(Date.parse(end) - Date.parse(start));
}
