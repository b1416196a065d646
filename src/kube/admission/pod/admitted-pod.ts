/** Accessors for pods that several admission plugins use. */
import { annotationsOf } from '../../../apimachinery/meta/meta.ts';
import { objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';

/** Returns containers, then init containers: the order of most checks in the reference. */
export function mainContainers(spec: JsonObject): readonly JsonObject[] {
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
}

/** Returns true for a mirror pod: the API object that a kubelet creates for a static pod. */
export function isMirrorPod(pod: JsonObject): boolean {
  return annotationsOf(pod)['kubernetes.io/config.mirror'] !== undefined;
}

/** Returns the pod of the request, and undefined if the request is to a subresource. */
export function podOf({ object, subresource }: AdmissionAttributes): JsonObject | undefined {
  return subresource === '' ? object : undefined;
}
