/** Validation of the specs of claims and claim templates. */
import { fieldAt, listAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../../apimachinery/scalars/quantity.ts';
import { quantityMilliValue, quantitySign } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { amountOf } from '../../../shared/resource-lists.ts';
import { validateTemplateMeta } from '../../../shared/template-meta.ts';
import { VOLUME_MODES, validateAccessModes } from './access-modes.ts';

const CLAIM_KIND = 'PersistentVolumeClaim';

export interface ClaimContext {
  /** The stored spec; some invalid values are accepted if it has them. Undefined on create and for templates. */
  readonly old?: JsonObject | undefined;
}

/** The spec of a claim or of an item of a StatefulSet's volumeClaimTemplates. */
export function validateClaimSpec(spec: JsonObject, path: FieldPath, { old }: ClaimContext = {}): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (listAt(spec, 'accessModes').length === 0)
    issues.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  addIssues(issues, [
    ...validateLabelSelectorObject(selectorOf(spec), path.child('selector'), {
      allowInvalidValues: old !== undefined && validateLabelSelectorObject(selectorOf(old), undefined).length > 0,
    }),
    ...validateAccessModes(spec, path),
    ...validateRequest(spec, path),
    ...validateClassName(spec, 'storageClassName', path),
  ]);
  const mode = fieldAt(spec, 'volumeMode');
  if (typeof mode === 'string' && !VOLUME_MODES.includes(mode))
    issues.push(declared(notSupported(path.child('volumeMode'), mode, VOLUME_MODES)));
  addIssues(issues, [
    ...validateDataSources(spec, path, old),
    ...validateClassName(spec, 'volumeAttributesClassName', path),
  ]);
  return issues;
}

/** The claim template of an ephemeral volume. */
export function validateClaimTemplate(template: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validateTemplateMeta(objectAt(template, 'metadata') ?? {}, path.child('metadata')),
    ...validateClaimSpec(objectAt(template, 'spec') ?? {}, path.child('spec')),
  ];
}

/** Warnings about the spec of a claim or claim template. `path` is the path of the spec. */
export function claimSpecWarnings(spec: JsonObject, path: FieldPath): readonly string[] {
  return ['requests', 'limits'].flatMap((list) => {
    const text = textAt(spec, 'resources', list, 'storage');
    if (text === '' || quantityMilliValue(amountOf(text)) % 1000n === 0n) return [];
    return [
      `${path.child('resources', list).key('storage')}: fractional byte value "${text}" is invalid, must be an integer`,
    ];
  });
}

/** Validates the class name in the field `name`. An absent or empty name is valid. */
function validateClassName(spec: JsonObject, name: string, path: FieldPath): FieldIssue[] {
  const value = textAt(spec, name);
  if (value === '') return [];
  return checkDns1123Subdomain(value).map((complaint) => invalid(path.child(name), value, complaint));
}

function validateRequest(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const request = fieldAt(spec, 'resources', 'requests', 'storage');
  if (request === undefined) return [required(path.child('resources').key('storage'), '')];
  const amount = amountOf(request);
  if (quantitySign(amount) > 0) return [];
  return [invalid(path.child('resources').key('storage'), formatQuantity(amount), 'must be greater than zero')];
}

function validateDataSources(spec: JsonObject, path: FieldPath, old: JsonObject | undefined): FieldIssue[] {
  const source = objectAt(spec, 'dataSource');
  const ref = objectAt(spec, 'dataSourceRef');
  if (source === undefined && ref === undefined) return [];
  const anyGroup =
    old !== undefined &&
    (fieldAt(old, 'dataSource', 'apiGroup') !== undefined || fieldAt(old, 'dataSourceRef', 'apiGroup') !== undefined);
  const issues: FieldIssue[] = [];
  if (source !== undefined) issues.push(...validateReference(source, path.child('dataSource'), anyGroup));
  if (ref === undefined) return issues;
  const at = path.child('dataSourceRef');
  const namespace = textAt(ref, 'namespace');
  issues.push(...validateReference(ref, at, anyGroup));
  if (namespace !== '')
    issues.push(...checkDns1123Label(namespace).map((one) => invalid(at.child('namespace'), namespace, one)));
  if (source === undefined) return issues;
  // Kube-apiserver passes the path as the value, which prints as `{}`.
  if (namespace !== '')
    issues.push(declared(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified')));
  else if (!isSameReference(source, ref)) issues.push(declared(invalid(path, {}, 'must match dataSourceRef')));
  return issues;
}

function validateReference(ref: JsonObject, path: FieldPath, anyGroup: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const kind = textAt(ref, 'kind');
  const group = textAt(ref, 'apiGroup');
  if (textAt(ref, 'name') === '') issues.push(required(path.child('name'), ''));
  if (kind === '') issues.push(required(path.child('kind'), ''));
  if (group === '' && kind !== CLAIM_KIND)
    issues.push(invalid(path, kind, `must be '${CLAIM_KIND}' when referencing the default apiGroup`));
  if (group !== '' && !anyGroup)
    issues.push(...checkDns1123Subdomain(group).map((one) => invalid(path.child('apiGroup'), group, one)));
  return issues;
}

function isSameReference(source: JsonObject, ref: JsonObject): boolean {
  return ['apiGroup', 'kind', 'name'].every((name) => fieldAt(source, name) === fieldAt(ref, name));
}

function selectorOf(spec: JsonObject): LabelSelectorObject | undefined {
  return objectAt(spec, 'selector') as LabelSelectorObject | undefined;
}
