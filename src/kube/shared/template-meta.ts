/** Validation of the metadata of templates, which may have only labels and annotations. */
import { fieldAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../apimachinery/validation/label-syntax.ts';
import { validateAnnotations } from '../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** The metadata fields that a template must not set. */
const FORBIDDEN_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

type Texts = Readonly<Record<string, string>> | undefined;

export function validateTemplateMeta(metadata: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validateAnnotations(objectAt(metadata, 'annotations') as Texts, path.child('annotations')),
    ...validateLabels(objectAt(metadata, 'labels') as Texts, path.child('labels')),
    ...FORBIDDEN_FIELDS.filter((name) => fieldAt(metadata, name) !== undefined).map((name) =>
      // Kube-apiserver lowers the first letter of the Go field name, which is `UID` for `uid`.
      forbidden(path.child(name === 'uid' ? 'uID' : name), 'cannot be set'),
    ),
  ];
}
