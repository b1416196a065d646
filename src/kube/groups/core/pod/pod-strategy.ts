/** The strategy methods of Pods and of their subresources. */
import { orderFields } from '../../../../apimachinery/codec/typed-order.ts';
import type { DeleteOptions } from '../../../../apimachinery/meta/delete-options.ts';
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { kindView } from '../../../../kinds/views.ts';
import { incremented } from '../../../../server/registry/object-metadata.ts';
import type { GraceDecision, StrategyContext } from '../../../../server/resource/strategy.ts';
import { ensureMeta, takeField } from '../../../../server/resource/strategy-fields.ts';
import { dropDisabledSpecFields, dropDisabledStatusFields } from './drop-disabled-fields.ts';
import { setPodCondition } from './pod-conditions.ts';
import { qosClassOf } from './pod-resources.ts';
import { allContainers } from './spec/pod-containers.ts';
import { validateAppArmorProfile } from './spec/validate-security-context.ts';
import { APP_ARMOR_PREFIX, appArmorProfileOf } from './validate-pod-annotations.ts';

const TERMS = ['preferredDuringSchedulingIgnoredDuringExecution', 'requiredDuringSchedulingIgnoredDuringExecution'];
const PROFILE_PATH = FieldPath.of('appArmorProfile');

export function preparePodForCreate(pod: JsonObject, { request }: StrategyContext): void {
  const spec = objectAt(pod, 'spec') ?? {};
  ensureMeta(pod)['generation'] = 1;
  const status: JsonObject = { phase: 'Pending', qosClass: qosClassOf(spec) };
  pod['status'] = status;
  dropDisabledSpecFields(spec, undefined);
  if (objectsAt(spec, 'schedulingGates').length > 0)
    setPodCondition(
      status,
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
      request.receivedAt,
    );
  mergeLabelKeys(pod, spec);
  adoptAppArmorAnnotations(pod, spec, (text) => request.warn(text));
}

/** Puts fields that admission or the server added into the order of the type. */
export function canonicalizePod(pod: JsonObject): void {
  orderFields(pod, kindView('', 'v1', 'Pod'));
}

export function preparePodForUpdate(pod: JsonObject, old: JsonObject): void {
  takeField(pod, old, 'status');
  finishSpecUpdate(pod, old);
}

/** Keeps the spec, the owner references and, in the status, fields that older kubelets do not send. */
export function preparePodStatusForUpdate(pod: JsonObject, old: JsonObject): void {
  takeField(pod, old, 'spec');
  const oldMeta = objectAt(old, 'metadata') ?? {};
  for (const name of ['ownerReferences', 'deletionTimestamp']) takeField(ensureMeta(pod), oldMeta, name);
  const status = objectAt(pod, 'status') ?? {};
  const oldStatus = objectAt(old, 'status') ?? {};
  pod['status'] = status;
  if (textAt(status, 'qosClass') === '') takeField(status, oldStatus, 'qosClass');
  keepObservedGenerations(status, oldStatus);
  dropDisabledStatusFields(status, oldStatus);
}

const KEPT_METADATA = [
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

/** Keeps everything but the ephemeral containers. */
export function prepareEphemeralForUpdate(pod: JsonObject, old: JsonObject): void {
  const containers = objectsAt(pod, 'spec', 'ephemeralContainers');
  const spec: JsonObject = { ...objectAt(old, 'spec') };
  if (containers.length > 0) spec['ephemeralContainers'] = [...containers];
  else delete spec['ephemeralContainers'];
  pod['spec'] = spec;
  takeField(pod, old, 'status');
  keepMetadata(pod, old);
  finishSpecUpdate(pod, old);
}

/** Keeps everything but resources and resize policies. Added, removed or renamed containers are left for validation. */
export function prepareResizeForUpdate(pod: JsonObject, old: JsonObject): void {
  const spec = objectAt(pod, 'spec') ?? {};
  const oldSpec = objectAt(old, 'spec') ?? {};
  const lists = ['containers', 'initContainers'];
  if (lists.every((list) => objectsAt(spec, list).length === objectsAt(oldSpec, list).length)) {
    const merged: JsonObject = { ...oldSpec };
    for (const list of lists) {
      const containers = objectsAt(spec, list);
      if (containers.length > 0) merged[list] = mergeResources(containers, objectsAt(oldSpec, list));
    }
    takeField(merged, spec, 'resources');
    pod['spec'] = merged;
    takeField(pod, old, 'status');
    keepMetadata(pod, old);
  }
  finishSpecUpdate(pod, old);
}

function mergeResources(containers: readonly JsonObject[], old: readonly JsonObject[]): JsonObject[] {
  if (containers.some((container, i) => textAt(container, 'name') !== textAt(old[i] ?? {}, 'name')))
    return [...containers];
  return containers.map((container, i) => {
    const merged: JsonObject = { ...old[i] };
    takeField(merged, container, 'resources');
    takeField(merged, container, 'resizePolicy');
    return merged;
  });
}

/** Keeps the metadata that `ephemeralcontainers` and `resize` cannot change. */
function keepMetadata(pod: JsonObject, old: JsonObject): void {
  const metadata = ensureMeta(pod);
  for (const field of KEPT_METADATA) takeField(metadata, objectAt(old, 'metadata') ?? {}, field);
}

function finishSpecUpdate(pod: JsonObject, old: JsonObject): void {
  const spec = objectAt(pod, 'spec') ?? {};
  const oldSpec = objectAt(old, 'spec') ?? {};
  dropDisabledSpecFields(spec, oldSpec);
  if (equalJson(spec, oldSpec)) return;
  const metadata = ensureMeta(pod);
  metadata['generation'] = incremented(metadata['generation']);
}

/** Keeps observedGeneration if the client does not send it: older kubelets do not know the field. */
function keepObservedGenerations(status: JsonObject, oldStatus: JsonObject): void {
  if (Number(numberAt(status, 'observedGeneration')) === 0) takeField(status, oldStatus, 'observedGeneration');
  const left = new Map<string, JsonObject[]>();
  for (const old of objectsAt(oldStatus, 'conditions').toReversed()) {
    const same = left.get(textAt(old, 'type'));
    if (same === undefined) left.set(textAt(old, 'type'), [old]);
    else same.push(old);
  }
  for (const condition of objectsAt(status, 'conditions')) {
    const old = left.get(textAt(condition, 'type'))?.pop();
    if (old !== undefined && Number(numberAt(condition, 'observedGeneration')) === 0)
      takeField(condition, old, 'observedGeneration');
  }
}

// ── Selectors and profiles ──

/** Adds the pod's own values of matchLabelKeys and mismatchLabelKeys to the label selectors. */
function mergeLabelKeys(pod: JsonObject, spec: JsonObject): void {
  const labels = objectAt(pod, 'metadata', 'labels') ?? {};
  for (const kind of ['podAffinity', 'podAntiAffinity'])
    for (const list of TERMS)
      for (const item of objectsAt(spec, 'affinity', kind, list)) {
        const term = objectAt(item, 'podAffinityTerm') ?? item;
        addExpressions(term, 'matchLabelKeys', 'In', labels);
        addExpressions(term, 'mismatchLabelKeys', 'NotIn', labels);
      }
  for (const constraint of objectsAt(spec, 'topologySpreadConstraints'))
    addExpressions(constraint, 'matchLabelKeys', 'In', labels);
}

function addExpressions(term: JsonObject, field: string, operator: 'In' | 'NotIn', labels: JsonObject): void {
  const selector = objectAt(term, 'labelSelector');
  const keys = fieldAt(term, field);
  if (selector === undefined || !Array.isArray(keys)) return;
  const added = keys.flatMap((key) => {
    const value = typeof key === 'string' && Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length > 0) selector['matchExpressions'] = [...objectsAt(selector, 'matchExpressions'), ...added];
}

/** Copies AppArmor profiles from the deprecated annotations to the fields. */
function adoptAppArmorAnnotations(pod: JsonObject, spec: JsonObject, warn: (text: string) => void): void {
  const annotations = objectAt(pod, 'metadata', 'annotations');
  if (annotations === undefined || textAt(spec, 'os', 'name') === 'windows') return;
  const ofPod = objectAt(spec, 'securityContext', 'appArmorProfile');
  for (const container of allContainers(spec)) {
    const key = APP_ARMOR_PREFIX + textAt(container, 'name');
    const annotation = fieldAt(annotations, key);
    if (typeof annotation !== 'string' || fieldAt(container, 'securityContext', 'appArmorProfile') !== undefined)
      continue;
    const profile = appArmorProfileOf(annotation);
    const isValid = profile !== undefined && validateAppArmorProfile(profile, PROFILE_PATH).length === 0;
    const differs = isValid && (ofPod === undefined || !equalJson(profile, ofPod));
    if (differs) container['securityContext'] = { ...objectAt(container, 'securityContext'), appArmorProfile: profile };
    if (!isValid || differs)
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

// ── Deletion ──

/** The grace period is zero for a pod that is not scheduled or has ended. */
export function podGrace(pod: JsonObject, options: DeleteOptions): GraceDecision {
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(pod, 'spec', 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded')
    return { gracePeriodSeconds: 0 };
  const asked = Number(options.gracePeriodSeconds ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds'));
  return { gracePeriodSeconds: asked < 0 ? 1 : asked };
}
