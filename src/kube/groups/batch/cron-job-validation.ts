/** Validation of CronJobs. */
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { metaFacts, specOf } from '../../../server/resource/strategy-fields.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { METADATA, SPEC } from '../../shared/workload-rules.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { validateJobTemplate } from './job/job-spec.ts';
import { timeZoneProblem } from './time-zone.ts';

/** The names of a CronJob's Jobs are its own name plus 11 characters. */
const MAX_NAME = 52;
const POLICIES = ['Allow', 'Forbid', 'Replace'];

export function validateCronJob(object: JsonObject): FieldIssue[] {
  const issues = [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(specOf(object), undefined),
  ];
  const name = textAt(object, 'metadata', 'name');
  if (isLongerThan(name, MAX_NAME))
    issues.push(invalid(METADATA.child('name'), name, `must be no more than ${MAX_NAME} characters`));
  return issues;
}

export function validateCronJobUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMetaUpdate(object, old), ...validateSpec(specOf(object), specOf(old))];
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const issues = validateSchedule(spec, old);
  issues.push(...validateNonnegativeFields(spec, ['startingDeadlineSeconds'], SPEC));
  const zone = fieldAt(spec, 'timeZone');
  if (typeof zone === 'string' && (old === undefined || fieldAt(old, 'timeZone') !== zone))
    issues.push(...validateTimeZone(zone, SPEC.child('timeZone')));
  const policy = textAt(spec, 'concurrencyPolicy');
  if (policy === '') issues.push(required(SPEC.child('concurrencyPolicy'), ''));
  else if (!POLICIES.includes(policy))
    issues.push(declared(notSupported(SPEC.child('concurrencyPolicy'), policy, POLICIES)));
  const oldTemplate = old === undefined ? undefined : (objectAt(old, 'jobTemplate') ?? {});
  addIssues(issues, validateJobTemplate(objectAt(spec, 'jobTemplate') ?? {}, SPEC.child('jobTemplate'), oldTemplate));
  return [
    ...issues,
    ...validateNonnegativeFields(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], SPEC),
  ];
}

function validateSchedule(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const schedule = textAt(spec, 'schedule');
  const path = SPEC.child('schedule');
  if (schedule === '') return [required(path, '')];
  const problem = scheduleProblem(schedule);
  const issues = problem === undefined ? [] : [invalid(path, schedule, problem)];
  if (!schedule.includes('TZ')) return issues;
  // Earlier versions allowed a time zone in the schedule; a stored one may stay.
  const mayHaveZone = old !== undefined && textAt(old, 'schedule').includes('TZ');
  if (!mayHaveZone)
    issues.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (fieldAt(spec, 'timeZone') !== undefined)
    issues.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  return issues;
}

function validateTimeZone(zone: string, path: FieldPath): FieldIssue[] {
  const bad = (detail: string): FieldIssue => declared(invalid(path, zone, detail));
  if (zone === '') return [bad('timeZone must be nil or non-empty string')];
  const parts = zone.split('/');
  if (parts.some((part) => part === '.' || part === '..' || !/^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part)))
    return [bad(`unknown time zone ${zone}`)];
  const issues: FieldIssue[] = [];
  if (zone.toLowerCase() === 'local')
    issues.push(bad('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'));
  const problem = timeZoneProblem(zone);
  if (problem !== undefined) issues.push(bad(problem));
  return issues;
}
