/** The quota usage of pods. A pod that has ended, or whose grace period has passed, uses only `count/pods`. */
import { isTerminating } from '../../../apimachinery/meta/meta.ts';
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type Quantity, quantityFromInt } from '../../../apimachinery/scalars/quantity.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { qosClassOf } from '../../groups/core/pod/pod-resources.ts';
import {
  addAmounts,
  amountsOf,
  isNativeResource,
  isPodLevelResource,
  type ResourceAmounts,
} from '../../shared/resource-lists.ts';
import { mainContainers } from '../pod/admitted-pod.ts';
import { podTotal } from '../pod/pod-total.ts';
import { effectiveSpec } from './effective-spec.ts';
import { type Evaluator, matchesValue, type ScopeSelector } from './evaluator.ts';

const COUNT = 'count/pods';
const NAMES = new Set([
  COUNT,
  'pods',
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Every container must set these amounts if a quota limits them. */
const REQUIRED = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];
const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';

export const podEvaluator: Evaluator = {
  handles: ({ operation, subresource, object, oldObject }) => {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '' || object === undefined) return false;
    if (operation === 'CREATE') return true;
    return operation === 'UPDATE' && oldObject !== undefined && hasDeadline(object) !== hasDeadline(oldObject);
  },
  counts: (name) =>
    NAMES.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.hugepages-') || isExtended(name),
  matchesScope,
  problem: (names, pod) => missing(names, specOf(pod)),
  usage: (pod, now) => {
    const used: ResourceAmounts = new Map([[COUNT, quantityFromInt(1)]]);
    if (!isOver(pod, now)) {
      const spec = effectiveSpec(pod);
      addAmounts(used, computeUsage(podTotal(spec, 'requests'), podTotal(spec, 'limits')));
    }
    return used;
  },
};

/** Returns true for `requests.` of an extended resource or a device class. */
function isExtended(name: string): boolean {
  return name.startsWith('requests.') && (!isNativeResource(name) || name.startsWith(`requests.${DEVICE_CLASS}`));
}

function computeUsage(requests: ResourceAmounts, limits: ResourceAmounts): ResourceAmounts {
  const used: ResourceAmounts = new Map([['pods', quantityFromInt(1)]]);
  const set = (name: string, amount: Quantity | undefined): void => {
    if (amount !== undefined) used.set(name, amount);
  };
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    set(name, requests.get(name));
    set(`requests.${name}`, requests.get(name));
    set(`limits.${name}`, limits.get(name));
  }
  for (const [name, amount] of requests) {
    if (name.startsWith('hugepages-')) {
      used.set(name, amount);
      used.set(`requests.${name}`, amount);
    } else if (name.startsWith(DEVICE_CLASS) || (!isNativeResource(name) && !name.startsWith('requests.')))
      used.set(`requests.${name}`, amount);
  }
  return used;
}

function missing(names: readonly string[], spec: JsonObject): string | undefined {
  const required = REQUIRED.filter((name) => names.includes(name));
  if (required.length === 0 || hasPodLevelAmounts(spec)) return undefined;
  const lacking = new Map<string, Set<string>>();
  for (const container of mainContainers(spec)) {
    const requests = amountsOf(fieldAt(container, 'resources', 'requests'));
    const has = computeUsage(requests, amountsOf(fieldAt(container, 'resources', 'limits')));
    for (const name of required) {
      if (has.has(name)) continue;
      const containers = lacking.get(name) ?? new Set();
      lacking.set(name, containers.add(textAt(container, 'name')));
    }
  }
  if (lacking.size === 0) return undefined;
  const parts = [...lacking.keys()]
    .sort()
    .map((name) => `${name} for: ${[...(lacking.get(name) ?? [])].sort().join(',')}`);
  return `must specify ${parts.join('; ')}`;
}

function hasPodLevelAmounts(spec: JsonObject): boolean {
  return ['requests', 'limits'].some((kind) =>
    Object.keys(objectAt(spec, 'resources', kind) ?? {}).some(isPodLevelResource),
  );
}

function matchesScope(selector: ScopeSelector, pod: JsonObject): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesValue(selector, textAt(specOf(pod), 'priorityClassName'));
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(specOf(pod));
    default:
      return false;
  }
}

/** The scope `Terminating` selects pods with a deadline. */
function hasDeadline(pod: JsonObject): boolean {
  const seconds = specOf(pod)['activeDeadlineSeconds'];
  return seconds !== undefined && Number(seconds) >= 0;
}

function isBestEffort(pod: JsonObject): boolean {
  return (textAt(pod, 'status', 'qosClass') || qosClassOf(specOf(pod))) === 'BestEffort';
}

function reachesOtherNamespaces(spec: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const required = objectsAt(spec, 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution');
    const preferred = objectsAt(spec, 'affinity', kind, 'preferredDuringSchedulingIgnoredDuringExecution');
    const terms = [...required, ...preferred.map((weighted) => objectAt(weighted, 'podAffinityTerm') ?? {})];
    return terms.some(hasNamespaces);
  });
}

function hasNamespaces(term: JsonObject): boolean {
  return (
    (Array.isArray(term['namespaces']) && term['namespaces'].length > 0) || term['namespaceSelector'] !== undefined
  );
}

function isOver(pod: JsonObject, now: number): boolean {
  const phase = textAt(pod, 'status', 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  if (!isTerminating(pod) || fieldAt(pod, 'metadata', 'deletionGracePeriodSeconds') === undefined) return false;
  const deleted = Date.parse(textAt(pod, 'metadata', 'deletionTimestamp'));
  return now > deleted + Number(numberAt(pod, 'metadata', 'deletionGracePeriodSeconds')) * 1000;
}
