/**
 * What the plugins here share: how a refusal is said, and the few questions that most of them ask about a request. Invariant: a refusal names the object as the reference
 * does: by its name, or by what its name will begin with.
 */
import { annotationsOf, metadataOf } from '../../apimachinery/meta/meta.ts';
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { type StatusCause, StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';

/** The 403 of a plugin that refuses; `causes` beside it. */
export function refusal(
  attributes: AdmissionAttributes,
  because: string,
  causes: readonly StatusCause[] = [],
): StatusError {
  const { group, resource } = attributes.resource;
  const status = forbidden({ group, resource }, subjectName(attributes), because);
  return new StatusError(causes.length === 0 ? status : { ...status, details: { ...status.details, causes } });
}

/** What a refusal calls the object. */
export function subjectName({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  const metadata = object === undefined ? undefined : metadataOf(object);
  if (metadata === undefined) return 'Unknown';
  return textAt(metadata, 'name') || textAt(metadata, 'generateName') || 'Unknown';
}

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
