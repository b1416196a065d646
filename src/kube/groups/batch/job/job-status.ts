/**
 * Validation of updates of a Job's status, which third-party controllers may write too (spec.managedBy). Most rules
 * apply only to an update that changes the fields they concern, so an update may correct one part of a status whose
 * other parts are invalid.
 */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { batchShapes } from '../../../../kinds/shapes/batch.ts';
import { int32At, validateNonnegativeFields } from '../../../shared/numbers.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { STATUS, statusOf } from '../../../shared/workload-rules.ts';
import { jobConditionIs } from './job-conditions.ts';
import { overlappingIndex, parseIndexes } from './job-indexes.ts';

const CONDITIONS: FieldPath = STATUS.child('conditions');
const COUNTERS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;

/** Conditions of a Job. */
interface Facts {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successMet: boolean;
  readonly finished: boolean;
}

/** The changes that an update makes. */
interface Changes {
  readonly finished: boolean;
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successMet: boolean;
  field(name: string): boolean;
}

export function validateJobStatusUpdate(job: JsonObject, old: JsonObject): FieldIssue[] {
  const now = factsOf(job);
  const before = factsOf(old);
  const changes: Changes = {
    finished: now.finished !== before.finished,
    complete: now.complete !== before.complete,
    failed: now.failed !== before.failed,
    failureTarget: now.failureTarget !== before.failureTarget,
    successMet: now.successMet !== before.successMet,
    field: (name) => !equalJson(statusOf(job)[name] ?? null, statusOf(old)[name] ?? null),
  };
  return [
    ...validateMetaUpdate(job, old),
    ...validateNonnegativeFields(statusOf(job), COUNTERS, STATUS),
    ...validateUncounted(objectAt(job, 'status', 'uncountedTerminatedPods') ?? {}),
    ...validateConditions(job, now, changes),
    ...validateFinished(job, now, changes),
    ...validateIndexes(job, changes),
    ...validateCounts(job, now, changes),
    ...validateSuccess(job, now),
    ...validateTransition(job, old, now, before),
  ];
}

function factsOf(job: JsonObject): Facts {
  const is = (type: string): boolean => jobConditionIs(job, type, 'True');
  const complete = is('Complete');
  const failed = is('Failed');
  return {
    complete,
    failed,
    failureTarget: is('FailureTarget'),
    successMet: is('SuccessCriteriaMet'),
    finished: complete || failed,
  };
}

function condition(detail: string): FieldIssue {
  return invalid(CONDITIONS, undefined, detail);
}

/** Every uid in uncountedTerminatedPods must be set and unique across both lists. */
function validateUncounted(uncounted: JsonObject): FieldIssue[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((name) =>
    textsAt(uncounted, name).flatMap((uid, i) => {
      const path = STATUS.child('uncountedTerminatedPods', name).index(i);
      if (uid === '') return [declared(invalid(path, uid, 'must not be empty'))];
      if (seen.has(uid)) return [declared(duplicate(path, uid))];
      seen.add(uid);
      return [];
    }),
  );
}

/** The terminal conditions must be consistent with each other and with startTime and completionTime. */
function validateConditions(job: JsonObject, now: Facts, changes: Changes): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  const path = STATUS.child('completionTime');
  const endsOrMoves = changes.complete || changes.field('completionTime');
  if ((changes.complete || changes.failed) && now.complete && now.failed)
    issues.push(condition('cannot set Complete=True and Failed=true conditions'));
  if ((changes.complete || changes.failureTarget) && now.complete && now.failureTarget)
    issues.push(condition('cannot set Complete=True and FailureTarget=true conditions'));
  if (endsOrMoves && end !== '' && !now.complete)
    issues.push(declared(invalid(path, end, 'cannot set completionTime when there is no Complete=True condition')));
  if (endsOrMoves && end === '' && now.complete)
    issues.push(required(path, 'completionTime is required for Complete jobs'));
  const timesChange = changes.field('startTime') || changes.field('completionTime');
  if (timesChange && start !== '' && end !== '' && Date.parse(end) < Date.parse(start))
    issues.push(declared(invalid(path, end, 'must be equal to or after `startTime`')));
  if ((changes.failed || changes.field('failedIndexes')) && now.failed && !now.failureTarget)
    issues.push(condition('cannot set Failed=True condition without the FailureTarget=true condition'));
  if ((changes.complete || changes.successMet) && now.complete && !now.successMet)
    issues.push(condition('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  return issues;
}

/** A finished Job must have a startTime and no active or uncounted pods. */
function validateFinished(job: JsonObject, now: Facts, changes: Changes): FieldIssue[] {
  if (!now.finished) return [];
  const issues: FieldIssue[] = [];
  const active = int32At(job, 'status', 'active') ?? 0;
  if ((changes.finished || changes.field('active')) && active > 0)
    issues.push(invalid(STATUS.child('active'), active, 'active>0 is invalid for finished job'));
  const neverRuns = fieldAt(job, 'spec', 'suspend') === true && int32At(job, 'spec', 'completions') === 0;
  if ((changes.finished || changes.field('startTime')) && !neverRuns && textAt(job, 'status', 'startTime') === '')
    issues.push(required(STATUS.child('startTime'), 'startTime is required for finished job'));
  const uncounted = objectAt(job, 'status', 'uncountedTerminatedPods') ?? {};
  const isUncounted = textsAt(uncounted, 'succeeded').length + textsAt(uncounted, 'failed').length > 0;
  if ((changes.finished || changes.field('uncountedTerminatedPods')) && isUncounted) {
    const shown = goValue(batchShapes, 'UncountedTerminatedPods', uncounted);
    issues.push(declared(invalid(STATUS.child('uncountedTerminatedPods'), shown, 'must be empty for finished job')));
  }
  return issues;
}

function validateIndexes(job: JsonObject, changes: Changes): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const completions = int32At(job, 'spec', 'completions');
  const completed = textAt(job, 'status', 'completedIndexes');
  const failed = fieldAt(job, 'status', 'failedIndexes');
  const completedChange = changes.field('completedIndexes');
  const failedChange = changes.field('failedIndexes');
  const isByIndex = fieldAt(job, 'spec', 'backoffLimitPerIndex') !== undefined;
  const judge = (name: string, text: string, shown: (issue: FieldIssue) => FieldIssue): void => {
    const parsed = parseIndexes(text, completions ?? 0);
    if (!parsed.ok) issues.push(shown(invalid(STATUS.child(name), text, `error parsing ${name}: ${parsed.message}`)));
  };
  if (completedChange && completions !== undefined) judge('completedIndexes', completed, (issue) => issue);
  if (failedChange && completions !== undefined && isByIndex && typeof failed === 'string')
    judge('failedIndexes', failed, declared);
  if (completedChange && completed !== '' && textAt(job, 'spec', 'completionMode') !== 'Indexed')
    issues.push(
      invalid(
        STATUS.child('completedIndexes'),
        completed,
        'cannot set non-empty completedIndexes when non-indexed completion mode',
      ),
    );
  if (typeof failed !== 'string') return issues;
  const path = STATUS.child('failedIndexes');
  if (failedChange && !isByIndex)
    issues.push(invalid(path, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
  if ((failedChange || completedChange) && completions !== undefined) {
    const both = overlappingIndex(completed, failed, completions);
    if (both !== undefined)
      issues.push(invalid(path, failed, `failedIndexes and completedIndexes overlap at index: ${both}`));
  }
  return issues;
}

function validateCounts(job: JsonObject, now: Facts, changes: Changes): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const terminating = int32At(job, 'status', 'terminating') ?? 0;
  if ((changes.finished || changes.field('terminating')) && terminating > 0 && now.finished)
    issues.push(invalid(STATUS.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  const ready = int32At(job, 'status', 'ready');
  if (
    (changes.field('ready') || changes.field('active')) &&
    ready !== undefined &&
    ready > (int32At(job, 'status', 'active') ?? 0)
  )
    issues.push(invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active'));
  return issues;
}

function validateSuccess(job: JsonObject, now: Facts): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (now.successMet && now.failed)
    issues.push(condition('cannot set SuccessCriteriaMet=True and Failed=true conditions'));
  if (now.successMet && now.failureTarget)
    issues.push(condition('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (objectAt(job, 'spec', 'successPolicy') !== undefined && !now.successMet && now.complete)
    issues.push(condition('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'));
  return issues;
}

/** Terminal conditions, counters and times must not be reverted. */
function validateTransition(job: JsonObject, old: JsonObject, now: Facts, before: Facts): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (jobConditionIs(old, type, 'True') && !jobConditionIs(job, type, 'True'))
      issues.push(condition(`cannot disable the terminal ${type}=True condition`));
  const sameSize = equalJson(sizeOf(job, 'completions'), sizeOf(job, 'parallelism'));
  const mayShrink = textAt(job, 'spec', 'completionMode') === 'Indexed' && sameSize;
  for (const name of mayShrink ? ['failed'] : ['failed', 'succeeded']) {
    const count = int32At(job, 'status', name) ?? 0;
    if (count < (int32At(old, 'status', name) ?? 0))
      issues.push(invalid(STATUS.child(name), count, `cannot decrease the ${name} counter`));
  }
  const end = textAt(job, 'status', 'completionTime');
  const oldEnd = textAt(old, 'status', 'completionTime');
  if (end !== '' && oldEnd !== '' && end !== oldEnd)
    issues.push(declared(invalid(STATUS.child('completionTime'), end, 'field is immutable')));
  const start = textAt(job, 'status', 'startTime');
  const oldStart = textAt(old, 'status', 'startTime');
  const isResuming = jobConditionIs(old, 'Suspended', 'True') && jobConditionIs(job, 'Suspended', 'False');
  if (oldStart !== '' && start !== oldStart && !isResuming && fieldAt(job, 'spec', 'suspend') !== true)
    issues.push(
      declared(invalid(STATUS.child('startTime'), start || null, 'field is immutable for unsuspended job once set')),
    );
  if (before.successMet && !now.successMet)
    issues.push(condition('cannot disable the SuccessCriteriaMet=True condition'));
  if (before.complete && !before.successMet && now.successMet)
    issues.push(condition('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
  return issues;
}

function sizeOf(job: JsonObject, name: string): JsonValue {
  return int32At(job, 'spec', name) ?? null;
}
