/**
 * The kind Job: declaration, defaults and strategy. Unless spec.manualSelector is set, the server generates a selector
 * for pods that carry the Job's uid.
 */

import { orderFields } from '../../../../apimachinery/codec/typed-order.ts';
import type { DeleteOptions } from '../../../../apimachinery/meta/delete-options.ts';
import {
  ensureObject,
  fieldAt,
  flagAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { kindView } from '../../../../kinds/views.ts';
import { delegateStore } from '../../../../server/resource/delegate-store.ts';
import type { StoredResource } from '../../../../server/resource/open-resource.ts';
import type { ResourceContext, ResourceStore } from '../../../../server/resource/resource-store.ts';
import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { ensureMeta, keepSpec, keepStatus, setDefault, specOf } from '../../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../../shared/built-in.ts';
import { int32At } from '../../../shared/numbers.ts';
import {
  beginObject,
  countSpecChange,
  generationChanged,
  nameWarnings,
  SPEC,
  setDefaultText,
  templateOf,
  withEntries,
} from '../../../shared/workload-rules.ts';
import {
  dropDisabledPodFields,
  podTemplateWarnings,
  setPodTemplateDefaults,
} from '../../core/pod/pod-template-spec.ts';
import {
  CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  LEGACY_CONTROLLER_UID_LABEL,
  LEGACY_JOB_NAME_LABEL,
} from './job-labels.ts';
import { validateJobStatusUpdate } from './job-status.ts';
import { jobTable } from './job-table.ts';
import { validateJob, validateJobUpdate } from './job-validation.ts';

const MAX_INT32 = 2147483647;
const ORPHAN_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const JOB_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
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
});

export const JOB: KubeResource = {
  definition: storedResource({
    plural: 'jobs',
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'batch',
        version: 'v1',
        kind: 'Job',
        setDefaults: setJobDefaults,
        table: jobTable,
        selectableFields: ['status.successful'],
        fieldSources: { 'status.successful': ['status.succeeded'] },
      }),
    ],
    strategy: JOB_STRATEGY,
    subresources: [
      statusSubresource(JOB_STRATEGY, { prepareForUpdate: keepSpec, validateUpdate: validateJobStatusUpdate }),
    ],
  }),
  wrapStore: warnAboutOrphans,
};

/** A store that warns about a delete without a propagation policy: such a delete orphans the pods. */
function warnAboutOrphans({ registry }: StoredResource): ResourceStore {
  return delegateStore(registry, {
    delete: (context, request) => {
      warn(context, request.options);
      return registry.delete(context, request);
    },
    deleteCollection: (context, request) => {
      warn(context, request.options);
      return registry.deleteCollection(context, request);
    },
  });
}

function warn({ request }: ResourceContext, options: DeleteOptions): void {
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) request.warn(ORPHAN_WARNING);
}

/**
 * A Job without labels shares the labels object of its template: labels that `prepareForCreate` adds to the template
 * appear on the Job too, as they do in kube-apiserver.
 */
function setJobDefaults(object: JsonObject): void {
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

/** Sets the defaults that apply to the spec of a Job and to the job template of a CronJob. */
export function setJobSpecDefaults(spec: JsonObject): void {
  for (const rule of objectsAt(spec, 'podFailurePolicy', 'rules'))
    for (const pattern of objectsAt(rule, 'onPodConditions')) setDefaultText(pattern, 'status', 'True');
  setPodTemplateDefaults(ensureObject(spec, 'template'));
}

/** Returns the warnings about the spec of a Job or of the job template of a CronJob. `old` is undefined on create. */
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

/**
 * Generates the labels of the pods and the selector that finds them. Keeps labels and selectors that the client sent;
 * validation reports those that do not match.
 */
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

/**
 * Reports whether the Job has no labels of its own. A Job with a generated name was copied on the way, so it shares
 * none, as in kube-apiserver.
 */
function sharesLabels(metadata: JsonObject, labels: JsonObject | undefined): boolean {
  const own = objectAt(metadata, 'labels');
  return own === undefined || own === labels;
}
