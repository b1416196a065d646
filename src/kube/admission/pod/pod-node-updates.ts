/**
 * The plugins PodResizeValidator and NodeDeclaredFeatureValidator. They check updates of a pod against the node that it
 * is bound to. Pods without a node, and updates that do not change the spec, are not checked.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { labelsOf, nameOf } from '../../../apimachinery/meta/meta.ts';
import { fieldAt, numberAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  compareQuantity,
  quantityMilliValue,
  quantityValue,
} from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { ObjectReader } from '../../../server/own/object-reader.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { isSidecar } from '../../groups/core/pod/pod-resources.ts';
import { amountOf } from '../../shared/resource-lists.ts';
import { podTotal } from './pod-total.ts';

export function podResizeValidator(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    resources: ['pods'],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const pod = attributes.subresource === 'resize' ? changedBoundPod(attributes) : undefined;
      if (pod === undefined) return undefined;
      return withNode(nodes, attributes, pod, (node) => checkResize(attributes, pod, node));
    },
  };
}

export function nodeDeclaredFeatureValidator(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    resources: ['pods'],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const { subresource, oldObject } = attributes;
      if (oldObject === undefined || (subresource !== '' && subresource !== 'resize')) return undefined;
      const pod = changedBoundPod(attributes);
      if (pod === undefined) return undefined;
      const needed = featuresOfUpdate(specOf(pod), specOf(oldObject));
      if (needed.length === 0) return undefined;
      return withNode(nodes, attributes, pod, (node) => {
        const declared = textsAt(node, 'status', 'declaredFeatures');
        const missing = needed.filter((feature) => !declared.includes(feature));
        if (missing.length === 0) return;
        const because = `pod update requires features ${missing.join(', ')} which are not available on node ${quote(nameOf(node))}`;
        throw refusal(attributes, because);
      });
    },
  };
}

function changedBoundPod({ object, oldObject }: AdmissionAttributes): JsonObject | undefined {
  if (object === undefined || oldObject === undefined || textAt(specOf(object), 'nodeName') === '') return undefined;
  const isChanged = numberAt(object, 'metadata', 'generation') !== numberAt(oldObject, 'metadata', 'generation');
  return isChanged ? object : undefined;
}

function withNode(
  nodes: ObjectReader,
  attributes: AdmissionAttributes,
  pod: JsonObject,
  use: (node: JsonObject) => void,
): MaybePromise<void> {
  const name = textAt(specOf(pod), 'nodeName');
  return andThen(nodes('', name), (answer) => {
    if ('object' in answer) return use(answer.object);
    if (answer.status.code === 404) throw refusal(attributes, `node ${quote(name)} not found`);
    throw refusal(attributes, `failed to get node ${quote(name)}: ${answer.status.message ?? ''}`);
  });
}

function checkResize(attributes: AdmissionAttributes, pod: JsonObject, node: JsonObject): void {
  const system = labelsOf(node)['kubernetes.io/os'] ?? 'linux';
  if (system !== 'linux') {
    const because = `pod resize is only supported on linux nodes, node ${quote(nameOf(node))} is ${quote(system)}`;
    throw refusal(attributes, because, [{ reason: 'UnsupportedPlatform' }]);
  }
  const requests = podTotal(specOf(pod), 'requests');
  const problems: string[] = [];
  for (const [name, shown] of [
    ['cpu', quantityMilliValue],
    ['memory', quantityValue],
  ] as const) {
    const requested = requests.get(name);
    const allocatable = amountOf(fieldAt(node, 'status', 'allocatable', name));
    if (requested !== undefined && compareQuantity(requested, allocatable) > 0)
      problems.push(`${name}, requested: ${shown(requested)}, allocatable: ${shown(allocatable)}`);
  }
  if (problems.length === 0) return;
  const because = `node didn't have enough allocatable resources: ${problems.join('; ')}`;
  throw refusal(attributes, because, [{ reason: 'NodeCapacity' }]);
}

/** Returns the node features that an update of a running pod needs, sorted. */
function featuresOfUpdate(spec: JsonObject, old: JsonObject): readonly string[] {
  const features: string[] = [];
  if (!equalJson(spec['resources'] ?? null, old['resources'] ?? null))
    features.push('InPlacePodLevelResourcesVerticalScaling');
  const containers = objectsAt(spec, 'initContainers');
  const isResized = objectsAt(old, 'initContainers').some(
    (container, i) =>
      !isSidecar(container) && !equalJson(container['resources'] ?? {}, containers[i]?.['resources'] ?? {}),
  );
  if (isResized) features.push('InPlacePodVerticalScalingInitContainers');
  return features;
}
