/** Questions about pods that several admission plugins ask. */
import { annotationsOf } from '../../../apimachinery/meta/meta.ts';
import { objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';

/** Containers, then init containers: the order in which most of the reference's checks go. */
export function mainContainers(spec: JsonObject): readonly JsonObject[] {
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
}

/** Pods that a kubelet made of its own files. */
export function isMirrorPod(pod: JsonObject): boolean {
  return annotationsOf(pod)['kubernetes.io/config.mirror'] !== undefined;
}

/** The pod in the request, if the request is about pods themselves and not about one of their subresources. */
export function podOf({ object, subresource }: AdmissionAttributes): JsonObject | undefined {
  return subresource === '' ? object : undefined;
}
