/** Validation of the `resize` subresource: only CPU and memory may change. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { isSidecar, qosClassOf } from './pod-resources.ts';
import { podValidationOptions } from './spec/make-pod-validation-options.ts';
import { SPEC, validatePodParts } from './validate-pod.ts';
import { MIRROR_ANNOTATION } from './validate-pod-annotations.ts';

const LISTS = ['limits', 'requests'] as const;
const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable';

export function validatePodResize(pod: JsonObject, old: JsonObject): FieldIssue[] {
  if (fieldAt(old, 'metadata', 'annotations', MIRROR_ANNOTATION) !== undefined)
    return [forbidden(FieldPath.of(''), 'static pods cannot be resized')];
  if (textAt(old, 'spec', 'os', 'name') === 'windows')
    return [forbidden(FieldPath.of(''), 'windows pods cannot be resized')];
  const spec = objectAt(pod, 'spec') ?? {};
  const oldSpec = objectAt(old, 'spec') ?? {};
  const issues = [
    ...validateMetaUpdate(pod, old),
    ...validatePodParts(pod, podValidationOptions(pod, { isPod: true, old })),
  ];
  if ((textAt(old, 'status', 'qosClass') || qosClassOf(oldSpec)) !== qosClassOf(spec)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    issues.push(declared(invalid(SPEC, textAt(pod, 'status', 'qosClass'), detail)));
  }
  const running = objectsAt(old, 'status', 'containerStatuses').find(
    (status) => fieldAt(status, 'state', 'running') !== undefined,
  );
  if (running !== undefined && fieldAt(running, 'resources') === undefined)
    issues.push(forbidden(SPEC, 'Pod running on node without support for resize'));
  const masked: JsonObject = { ...spec };
  if (hasAmounts(objectAt(spec, 'resources')) || hasAmounts(objectAt(oldSpec, 'resources')))
    resizePod(masked, spec, oldSpec, issues);
  const orderIssues = validateOrder(spec, oldSpec);
  addIssues(issues, orderIssues);
  if (orderIssues.length > 0) return issues;
  for (const list of ['initContainers', 'containers']) forbidRemovals(spec, oldSpec, list, issues);
  for (const list of ['containers', 'initContainers']) resizeContainers(masked, spec, oldSpec, list, issues);
  if (issues.length === 0 && !equalJson(masked, oldSpec)) issues.push(forbidden(SPEC, ONLY_CPU_AND_MEMORY));
  return issues;
}

function hasAmounts(resources: JsonObject | undefined): boolean {
  return resources !== undefined && LISTS.some((list) => Object.keys(objectAt(resources, list) ?? {}).length > 0);
}

function resizePod(masked: JsonObject, spec: JsonObject, oldSpec: JsonObject, issues: FieldIssue[]): void {
  const path = SPEC.child('resources');
  const resources = objectAt(spec, 'resources');
  const before = objectAt(oldSpec, 'resources');
  if (before !== undefined && resources === undefined) {
    issues.push(forbidden(path, 'pod-level resources cannot be removed'));
    return;
  }
  for (const list of ['requests', 'limits'] as const)
    if (before !== undefined && isRemoved(resources, before, list))
      issues.push(forbidden(path.child(list), `pod-level resource ${list} cannot be removed`));
  const kept = withCpuAndMemoryOf(resources ?? {}, before ?? {});
  if (before === undefined && Object.keys(kept).length === 0) delete masked['resources'];
  else masked['resources'] = kept;
  if (!equalJson(masked['resources'] ?? null, before ?? null))
    issues.push(forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level'));
}

function validateOrder(spec: JsonObject, oldSpec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const list of ['containers', 'initContainers']) {
    const containers = objectsAt(spec, list);
    const before = objectsAt(oldSpec, list);
    if (containers.length !== before.length)
      issues.push(forbidden(SPEC.child(list), `${list} may not be added or removed on resize`));
    else
      containers.forEach((container, i) => {
        if (textAt(container, 'name') === textAt(before[i] ?? {}, 'name')) return;
        const at = SPEC.child(list).index(i).child('name');
        issues.push(forbidden(at, `${list} may not be renamed or reordered on resize`));
      });
  }
  return issues;
}

function forbidRemovals(spec: JsonObject, oldSpec: JsonObject, list: string, issues: FieldIssue[]): void {
  const containers = objectsAt(spec, list);
  objectsAt(oldSpec, list).forEach((before, i) => {
    for (const amounts of ['requests', 'limits'] as const)
      if (isRemoved(objectAt(containers[i] ?? {}, 'resources'), objectAt(before, 'resources') ?? {}, amounts))
        issues.push(
          forbidden(SPEC.child(list).index(i).child('resources', amounts), `resource ${amounts} cannot be removed`),
        );
  });
}

function isRemoved(resources: JsonObject | undefined, before: JsonObject, list: (typeof LISTS)[number]): boolean {
  const now = (resources === undefined ? undefined : objectAt(resources, list)) ?? {};
  return Object.keys(objectAt(before, list) ?? {}).some((name) => !Object.hasOwn(now, name));
}

function resizeContainers(
  masked: JsonObject,
  spec: JsonObject,
  oldSpec: JsonObject,
  list: string,
  issues: FieldIssue[],
): void {
  const before = objectsAt(oldSpec, list);
  if (before.length === 0) return;
  const isInit = list === 'initContainers';
  masked[list] = objectsAt(spec, list).map((container, i) => {
    const old = before[i] ?? {};
    const kept: JsonObject = {
      ...container,
      resources: withCpuAndMemoryOf(objectAt(container, 'resources') ?? {}, objectAt(old, 'resources') ?? {}),
    };
    const path = isInit ? SPEC.child(list).index(i) : SPEC;
    const what = isInit
      ? 'only cpu and memory resources for init or sidecar containers are mutable'
      : ONLY_CPU_AND_MEMORY;
    if (!equalJson(kept, old)) issues.push(forbidden(path, what));
    if (isInit && !isSidecar(container) && !equalJson(container, old))
      for (const policy of objectsAt(container, 'resizePolicy'))
        if (textAt(policy, 'restartPolicy') === 'RestartContainer')
          issues.push(
            forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'),
          );
    return kept;
  });
}

/** The resources with CPU and memory of `before`. Drops claims, which kube-apiserver does not compare. */
function withCpuAndMemoryOf(resources: JsonObject, before: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const list of LISTS) {
    const { cpu: _cpu, memory: _memory, ...rest } = objectAt(resources, list) ?? {};
    for (const name of ['cpu', 'memory']) {
      const amount = fieldAt(before, list, name);
      if (amount !== undefined) rest[name] = amount;
    }
    if (Object.keys(rest).length > 0) kept[list] = rest;
  }
  return kept;
}
