/**
 * Checks the preconditions of updates and deletes. A precondition that does not hold is a 409, with kube-apiserver's
 * message for the verb.
 */
import type { Preconditions } from '../../apimachinery/meta/delete-options.ts';
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { conflict } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** Checks the preconditions of an update. `metadata` is undefined for an object that does not exist. */
export function checkPreconditions(
  preconditions: Preconditions | undefined,
  metadata: JsonObject | undefined,
  subject: { readonly resource: GroupResource; readonly name: string; readonly key: string },
): void {
  if (preconditions === undefined) return;
  const problem =
    difference('UID', preconditions.uid, text(metadata, 'uid')) ??
    difference('ResourceVersion', preconditions.resourceVersion, text(metadata, 'resourceVersion'));
  if (problem === undefined) return;
  // kube-apiserver answers with the text of its storage error here.
  const because = `StorageError: invalid object, Code: 4, Key: /${subject.key}, ResourceVersion: 0, AdditionalErrorMsg: ${problem}`;
  throw new StatusError(conflict(subject.resource, subject.name, because));
}

function difference(what: string, expected: string | undefined, found: string): string | undefined {
  if (expected === undefined || expected === found) return undefined;
  return `Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${found}`;
}

/** Checks the preconditions of a delete. As in kube-apiserver, the message has the kind in place of the resource. */
export function checkDeletePreconditions(
  preconditions: Preconditions | undefined,
  metadata: JsonObject,
  kind: GroupResource,
): void {
  if (preconditions === undefined) return;
  const { uid, resourceVersion } = preconditions;
  const name = text(metadata, 'name');
  const foundUid = text(metadata, 'uid');
  if (uid !== undefined && uid !== foundUid) {
    const because = `the UID in the precondition (${uid}) does not match the UID in record (${foundUid}). The object might have been deleted and then recreated`;
    throw new StatusError(conflict(kind, name, because));
  }
  const foundVersion = text(metadata, 'resourceVersion');
  if (resourceVersion !== undefined && resourceVersion !== foundVersion) {
    const because = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${foundVersion}). The object might have been modified`;
    throw new StatusError(conflict(kind, name, because));
  }
}

function text(metadata: JsonObject | undefined, name: string): string {
  const value = metadata?.[name];
  return typeof value === 'string' ? value : '';
}
