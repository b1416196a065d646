/**
 * Job. Invariant: pure; unless the client manages the selector, a Job owns the pods that carry its uid. The generation counts changes of the spec.
 */
import { orderFields } from '../../../apimachinery/codec/typed-order.ts';
import {
  ensureObject,
  fieldAt,
  flagAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../apimachinery/meta/object-fields.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { kindView } from '../../../kinds/views.ts';
import type { Strategy } from '../../../server/resource/resource-definition.ts';
import { int32At } from '../../shared/numbers.ts';
import { ensureMeta, keepStatus, setDefault, specOf } from '../../shared/object-fields.ts';
import {
  beginObject,
  countSpecChange,
  generationChanged,
  keepSpec,
  nameWarnings,
  SPEC,
  setDefaultText,
  templateOf,
  withEntries,
} from '../../shared/workload-rules.ts';
import { dropDisabledPodFields, podTemplateWarnings, setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import {
  CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  LEGACY_CONTROLLER_UID_LABEL,
  LEGACY_JOB_NAME_LABEL,
} from './job-labels.ts';

import { validateJobStatusUpdate } from './job-status.ts';
import { validateJob, validateJobUpdate } from './job-validation.ts';

const MAX_INT32 = 2147483647;

/**
 * The labels of a Job that has none are those of its template, and the same object: what `prepareForCreate` adds to the template's shows on the Job too, as in the
 * reference.
 */
export function setJobDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (int32At(spec, 'parallelism') === undefined) {
    setDefault(spec, 'completions', 1);
    spec['parallelism'] = 1;
  }
  setDefault(spec, 'backoffLimit', fieldAt(spec, 'backoffLimitPerIndex') === undefined ? 6 : MAX_INT32);
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  const metadata = ensureMeta(object);
  if (labels !== undefined && Object.keys(objectAt(metadata, 'labels') ?? {}).length === 0) metadata['labels'] = labels;
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
  const hasFailurePolicy = objectAt(spec, 'podFailurePolicy') !== undefined;
  setDefault(spec, 'podReplacementPolicy', hasFailurePolicy ? 'Failed' : 'TerminatingOrFailed');
  setDefault(spec, 'manualSelector', false);
  setJobSpecDefaults(spec);
}

/** Defaults of a Job's spec that hold in the template of a CronJob too. */
export function setJobSpecDefaults(spec: JsonObject): void {
  for (const rule of objectsAt(spec, 'podFailurePolicy', 'rules'))
    for (const pattern of objectsAt(rule, 'onPodConditions')) setDefaultText(pattern, 'status', 'True');
  setPodTemplateDefaults(ensureObject(spec, 'template'));
}

export const JOB_RULES: Partial<Strategy> = {
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  // Pods stay unless the client says otherwise.
  defaultGarbageCollection: 'orphan',
  prepareForCreate: (object) => {
    if (!flagAt(object, 'spec', 'manualSelector')) generateSelector(object);
    beginObject(object, {});
    dropDisabledPodFields(templateOf(object), undefined);
  },
  validate: validateJob,
  warningsOnCreate: (object) => [...nameWarnings(object), ...jobSpecWarnings(specOf(object), undefined, SPEC)],
  prepareForUpdate: (object, old) => {
    keepStatus(object, old);
    dropDisabledPodFields(templateOf(object), templateOf(old));
    countSpecChange(object, old);
  },
  validateUpdate: validateJobUpdate,
  warningsOnUpdate: (object, old) =>
    generationChanged(object, old) ? jobSpecWarnings(specOf(object), specOf(old), SPEC) : [],
};

export const JOB_STATUS_RULES: Partial<Strategy> = {
  prepareForUpdate: keepSpec,
  validateUpdate: validateJobStatusUpdate,
};

/** Warnings about the spec of a Job or of a CronJob's template. */
export function jobSpecWarnings(spec: JsonObject, old: JsonObject | undefined, path: FieldPath): string[] {
  const warnings: string[] = [];
  const completions = int32At(spec, 'completions') ?? 0;
  if (
    textAt(spec, 'completionMode') === 'Indexed' &&
    completions > 100_000 &&
    (int32At(spec, 'parallelism') ?? 0) > 10_000
  )
    warnings.push(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  const template = objectAt(spec, 'template') ?? {};
  const oldTemplate = old === undefined ? undefined : objectAt(old, 'template');
  return [...warnings, ...podTemplateWarnings(template, oldTemplate, path.child('template'))];
}

/** The labels of its pods and the selector that finds them. What the client set is left alone, and judged later. */
function generateSelector(object: JsonObject): void {
  const metadata = ensureMeta(object);
  const uid = textAt(metadata, 'uid');
  const name = textAt(metadata, 'name');
  const spec = ensureObject(object, 'spec');
  const templateMeta = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const labels = objectAt(templateMeta, 'labels');
  const all = withEntries(
    {
      [LEGACY_JOB_NAME_LABEL]: name,
      [JOB_NAME_LABEL]: name,
      [LEGACY_CONTROLLER_UID_LABEL]: uid,
      [CONTROLLER_UID_LABEL]: uid,
    },
    labels ?? {},
  );
  if (sharesLabels(metadata, labels)) metadata['labels'] = { ...all };
  templateMeta['labels'] = all;
  const selector = ensureObject(spec, 'selector');
  selector['matchLabels'] = withEntries({ [CONTROLLER_UID_LABEL]: uid }, objectAt(selector, 'matchLabels') ?? {});
  orderFields(object, kindView('batch', 'v1', 'Job'));
}

/** True if the Job has no labels of its own. One whose name is generated is copied on the way: it shares none, in the reference too. */
function sharesLabels(metadata: JsonObject, labels: JsonObject | undefined): boolean {
  const own = objectAt(metadata, 'labels');
  return own === undefined || own === labels;
}
