/** Metadata of templates from which other objects are made. Invariant: pure; it has labels and annotations alone, and the issues are the reference's. */
import { fieldAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../apimachinery/validation/label-syntax.ts';
import { validateAnnotations } from '../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** All the others, as issues name them: by their Go names with a small first letter. */
const OTHERS = [
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
    ...OTHERS.filter((name) => fieldAt(metadata, name) !== undefined).map((name) =>
      forbidden(path.child(name === 'uid' ? 'uID' : name), 'cannot be set'),
    ),
  ];
}
