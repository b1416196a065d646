/**
 * The quota evaluators by kind: special ones, a plain object count for most kinds, and none for kinds without quotas.
 */

import { formatGroupResource, type GroupResource } from '../../../apimachinery/meta/gvk.ts';
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type Quantity, quantityFromInt } from '../../../apimachinery/scalars/quantity.ts';
import { addQuantity, compareQuantity, quantityValue } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { amountOf, type ResourceAmounts } from '../../shared/resource-lists.ts';
import { claimClass } from '../persistent-volume-claim-resize.ts';
import { countedResource, type Evaluator, matchesValue, objectCount } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';

/** Kinds that are not stored, and events, which must be recorded even if a quota is exceeded. */
const IGNORED = new Set([
  'bindings',
  'componentstatuses',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'events',
  'events.events.k8s.io',
]);

const ONE = quantityFromInt(1);
const PER_STORAGE_CLASS = '.storageclass.storage.k8s.io/';
const PER_DEVICE_CLASS = '.deviceclass.resource.k8s.io/devices';
/** The usage of a request for all devices: the maximum of one claim. */
const ALL_DEVICES = 32;

/** Returns undefined for a kind without quotas. */
export function evaluatorOf(resource: GroupResource): Evaluator | undefined {
  const name = formatGroupResource(resource);
  if (IGNORED.has(name)) return undefined;
  return SPECIAL[name] ?? objectCount(resource);
}

/** The resources that count towards a limit of this name. They need not exist. */
export function resourcesCounting(name: string): readonly GroupResource[] {
  const special = SPECIAL_RESOURCES.filter((resource) => evaluatorOf(resource)?.counts(name));
  const counted = countedResource(name);
  const isPlain = counted !== undefined && evaluatorOf(counted)?.isUniform === true;
  return isPlain ? [...special, counted] : special;
}

const serviceEvaluator: Evaluator = {
  handles: ({ subresource }) => subresource === '',
  counts: (name) => ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'].includes(name),
  usage: (service) => {
    const type = textAt(service, 'spec', 'type');
    const isBalanced = type === 'LoadBalancer';
    return new Map([
      ['count/services', ONE],
      ['services', ONE],
      ['services.loadbalancers', quantityFromInt(isBalanced ? 1 : 0)],
      ['services.nodeports', quantityFromInt(type === 'NodePort' || isBalanced ? nodePorts(service, isBalanced) : 0)],
    ]);
  },
};

/** A load balancer can disable node ports; then only the ports that name one are counted. */
function nodePorts(service: JsonObject, isBalanced: boolean): number {
  const ports = objectsAt(service, 'spec', 'ports');
  if (!isBalanced || fieldAt(service, 'spec', 'allocateLoadBalancerNodePorts') !== false) return ports.length;
  return ports.filter((port) => numberAt(port, 'nodePort') !== 0).length;
}

const claimEvaluator: Evaluator = {
  handles: ({ subresource, operation }) => subresource === '' || (subresource === 'status' && operation === 'UPDATE'),
  counts: (name) =>
    ['count/persistentvolumeclaims', 'persistentvolumeclaims', 'requests.storage'].includes(name) ||
    name.endsWith(`${PER_STORAGE_CLASS}persistentvolumeclaims`) ||
    name.endsWith(`${PER_STORAGE_CLASS}requests.storage`),
  matchesScope: (selector, claim) => {
    if (selector.scopeName !== 'VolumeAttributesClass') return false;
    const names = attributesClasses(claim);
    return names.length === 0 ? matchesValue(selector, '') : names.some((name) => matchesValue(selector, name));
  },
  usage: (claim) => {
    const used: ResourceAmounts = new Map([
      ['persistentvolumeclaims', ONE],
      ['count/persistentvolumeclaims', ONE],
    ]);
    const prefix = claimClass(claim) === '' ? undefined : claimClass(claim) + PER_STORAGE_CLASS;
    if (prefix !== undefined) used.set(`${prefix}persistentvolumeclaims`, ONE);
    const storage = storageOf(claim);
    if (storage !== undefined) {
      used.set('requests.storage', storage);
      if (prefix !== undefined) used.set(`${prefix}requests.storage`, storage);
    }
    return used;
  },
};

/** Returns the larger of the requested and the allocated storage, in whole bytes. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const asked = fieldAt(claim, 'spec', 'resources', 'requests', 'storage');
  if (asked === undefined) return undefined;
  const granted = amountOf(fieldAt(claim, 'status', 'allocatedResources', 'storage') ?? '0');
  const amount = amountOf(asked);
  return wholeBytes(compareQuantity(granted, amount) > 0 ? granted : amount);
}

function wholeBytes(amount: Quantity): Quantity {
  return amount.exponent >= 0 ? amount : quantityFromInt(quantityValue(amount), amount.format);
}

function attributesClasses(claim: JsonObject): readonly string[] {
  const names = [
    textAt(specOf(claim), 'volumeAttributesClassName'),
    textAt(claim, 'status', 'currentVolumeAttributesClassName'),
    textAt(claim, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
  ];
  return names.filter((name) => name !== '');
}

const deviceClaimEvaluator: Evaluator = {
  handles: ({ subresource }) => subresource === '',
  counts: (name) => name === 'count/resourceclaims.resource.k8s.io' || name.endsWith(PER_DEVICE_CLASS),
  usage: (claim) => {
    const used: ResourceAmounts = new Map([['count/resourceclaims.resource.k8s.io', ONE]]);
    for (const request of objectsAt(claim, 'spec', 'devices', 'requests'))
      for (const [name, count] of devicesOf(request)) {
        const key = name + PER_DEVICE_CLASS;
        used.set(key, addQuantity(used.get(key) ?? quantityFromInt(0), quantityFromInt(count)));
      }
    return used;
  },
};

/**
 * Returns the number of devices by class; of several alternatives the maximum. Older versions name the class in the
 * request itself.
 */
function devicesOf(request: JsonObject): ReadonlyMap<string, number> {
  const alternatives = objectsAt(request, 'firstAvailable');
  const exact = objectAt(request, 'exactly') ?? request;
  const most = new Map<string, number>();
  for (const one of alternatives.length > 0 ? alternatives : [exact]) {
    const name = textAt(one, 'deviceClassName');
    if (name !== '') most.set(name, Math.max(most.get(name) ?? 0, deviceCount(one)));
  }
  return most;
}

function deviceCount(request: JsonObject): number {
  const mode = textAt(request, 'allocationMode');
  if (mode === 'All') return ALL_DEVICES;
  return mode === 'ExactCount' ? Number(numberAt(request, 'count')) : 0;
}

const SPECIAL: Readonly<Record<string, Evaluator>> = {
  pods: podEvaluator,
  services: serviceEvaluator,
  persistentvolumeclaims: claimEvaluator,
  'resourceclaims.resource.k8s.io': deviceClaimEvaluator,
};

const SPECIAL_RESOURCES: readonly GroupResource[] = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'services' },
  { group: '', resource: 'persistentvolumeclaims' },
  { group: 'resource.k8s.io', resource: 'resourceclaims' },
];
