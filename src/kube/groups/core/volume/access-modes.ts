/** Access modes, volume modes and storage classes of PersistentVolumes and claims. */
import { textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, notSupported } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { getField, type JsonObject } from '../../../../base/json-value.ts';

/** The access modes with their short names, in the order in which columns show them. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const ACCESS_MODES = Object.keys(SHORT_NAMES).sort();
const POD_MODE = 'ReadWriteOncePod';

export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];

/** The annotation that storageClassName replaced. */
export const BETA_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function formatAccessModes(modes: readonly string[]): string {
  return Object.keys(SHORT_NAMES)
    .filter((mode) => modes.includes(mode))
    .map((mode) => SHORT_NAMES[mode])
    .join();
}

/** The storage class. The annotation wins over the field. */
export function storageClassOf(object: JsonObject): string {
  const annotated = getField((object['metadata'] ?? {}) as JsonObject, 'annotations') as JsonObject | undefined;
  const old = annotated === undefined ? undefined : getField(annotated, BETA_CLASS_ANNOTATION);
  return typeof old === 'string' ? old : textAt(object, 'spec', 'storageClassName');
}

/** Reports unknown modes, and ReadWriteOncePod beside another mode. Accepts an empty list: the caller checks that. */
export function validateAccessModes(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const modes = textsAt(spec, 'accessModes');
  const issues: FieldIssue[] = [];
  for (const mode of modes)
    if (!ACCESS_MODES.includes(mode)) issues.push(notSupported(path.child('accessModes'), mode, ACCESS_MODES));
  if (modes.includes(POD_MODE) && modes.some((mode) => mode !== POD_MODE && ACCESS_MODES.includes(mode)))
    issues.push(forbidden(path.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'));
  return issues;
}
