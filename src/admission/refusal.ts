/** The Status with which an admission plugin refuses a request, in kube-apiserver's words. */
import { metadataOf } from '../apimachinery/meta/meta.ts';
import { textAt } from '../apimachinery/meta/object-fields.ts';
import { type StatusCause, StatusError } from '../apimachinery/status/status.ts';
import { forbidden } from '../apimachinery/status/status-catalogue.ts';
import type { AdmissionAttributes } from '../server/admission.ts';

/** Returns the 403 of a plugin that refuses a request. */
export function refusal(
  attributes: AdmissionAttributes,
  because: string,
  causes: readonly StatusCause[] = [],
): StatusError {
  const { group, resource } = attributes.resource;
  const status = forbidden({ group, resource }, subjectName(attributes), because);
  return new StatusError(causes.length === 0 ? status : { ...status, details: { ...status.details, causes } });
}

/** Returns the name of the object in a refusal: its name, its generateName, or `Unknown`. */
export function subjectName({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  const metadata = object === undefined ? undefined : metadataOf(object);
  if (metadata === undefined) return 'Unknown';
  return textAt(metadata, 'name') || textAt(metadata, 'generateName') || 'Unknown';
}
