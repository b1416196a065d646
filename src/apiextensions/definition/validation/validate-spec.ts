/**
 * Validation of the spec of a definition. Both versions are validated in the form of v1beta1: issues about fields that
 * all versions have in common name the field of the spec. Issues are in kube-apiserver's order.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, flagAt, listAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, getField, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { apiextensionsShapes } from '../../../kinds/shapes/apiextensions.ts';
import { readNames } from '../../crd.ts';
import { hasExtensions, schemaHas, schemasOf } from './schema-walk.ts';
import { validateChoice, validateConversion } from './validate-conversion.ts';
import { checkText, requireNames, validateNames } from './validate-crd-names.ts';
import { validateSchema } from './validate-schema.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './validate-version.ts';
import type { ValidationOptions } from './validation-options.ts';

export function validateSpec(spec: JsonObject, path: FieldPath, given: ValidationOptions): FieldIssue[] {
  const names = readNames(objectAt(spec, 'names'));
  const preserves = getField(spec, 'preserveUnknownFields');
  const issues = [
    ...validateGroup(textAt(spec, 'group'), path.child('group')),
    ...validateChoice(textAt(spec, 'scope'), ['Cluster', 'Namespaced'], path.child('scope')),
    ...validateSchemasPresent(spec, path, given),
  ];
  const schemas = schemasOf({ spec });
  const has = (test: (schema: JsonObject) => boolean): boolean => schemas.some((schema) => schemaHas(schema, test));
  const hasDefaults =
    given.defaultsForbidden === undefined &&
    preserves !== false &&
    has((schema) => getField(schema, 'default') !== undefined);
  if (hasDefaults) {
    const detail = 'must be false in order to use defaults in the schema';
    issues.push(invalid(path.child('preserveUnknownFields'), true, detail));
  }
  const requireStructural = given.requireStructural || preserves !== true || hasDefaults || has(hasExtensions);
  const options = { ...given, requireStructural };
  issues.push(
    ...validateVersions(spec, path, options),
    ...validateVersionName(spec, path.child('version')),
    ...requireNames(names, path.child('names')),
    ...validateNames(names, path.child('names')),
    ...validateShared(spec, path, options),
  );
  const conversion = objectAt(spec, 'conversion');
  if (conversion !== undefined && textAt(conversion, 'strategy') !== 'None' && preserves !== false) {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    issues.push(invalid(path.child('conversion', 'strategy'), textAt(conversion, 'strategy'), detail));
  }
  return [...issues, ...validateConversion(conversion, path.child('conversion'), options)];
}

/** Validates the spec as `validateSpec` does, then the fields that may not change. */
export function validateSpecUpdate(
  spec: JsonObject,
  old: JsonObject,
  path: FieldPath,
  options: ValidationOptions,
): FieldIssue[] {
  const immutable = (...names: readonly string[]): FieldIssue[] =>
    validateImmutableField(textAt(spec, ...names), textAt(old, ...names), path.child(...names));
  return [
    ...validateSpec(spec, path, options),
    ...(options.requireImmutableNames ? [...immutable('scope'), ...immutable('names', 'kind')] : []),
    ...immutable('group'),
    ...immutable('names', 'plural'),
  ];
}

function validateGroup(group: string, path: FieldPath): FieldIssue[] {
  if (group === '') return [required(path, '')];
  const complaints = checkDns1123Subdomain(group);
  if (complaints.length > 0) return [invalid(path, group, complaints.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

/**
 * All versions must have a schema. If the stored definition had versions without one, only served versions that are
 * pruned must.
 */
function validateSchemasPresent(spec: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  if (objectAt(spec, 'validation', 'openAPIV3Schema') !== undefined) return [];
  if (!options.requireSchema && fieldAt(spec, 'preserveUnknownFields') === true) return [];
  return objectsAt(spec, 'versions').flatMap((version, i) => {
    if (objectAt(version, 'schema', 'openAPIV3Schema') !== undefined) return [];
    const place = path.child('versions').index(i).child('schema', 'openAPIV3Schema');
    if (options.requireSchema) return [required(place, '')];
    return flagAt(version, 'served') ? [required(place, 'because otherwise all fields are pruned')] : [];
  });
}

// ── Versions ─────────────────────────────────────────────────────────────────────────────────────────

/** Fields that may be in each version or in the spec: their name in a version, in the spec, and in messages. */
const EXCLUSIVE = [
  ['schema', 'validation', 'schemas', 'validation'],
  ['subresources', 'subresources', 'subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns', 'additionalPrinterColumns', 'additionalPrinterColumns'],
] as const;

function validateVersions(spec: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  const versions = objectsAt(spec, 'versions');
  const place = path.child('versions');
  const issues: FieldIssue[] = [];
  for (let i = 0; i < versions.length; i++) {
    const version = versions[i] as JsonObject;
    const at = place.index(i);
    addIssues(issues, checkText(textAt(version, 'name'), textAt(version, 'name'), at.child('name')));
    addIssues(issues, validateVersion(version, spec, at, options));
  }
  for (const [inVersion, atTop, plural] of EXCLUSIVE)
    if (isSet(spec, atTop) && versions.some((version) => isSet(version, inVersion)))
      issues.push(forbidden(path.child(atTop), `top-level and per-version ${plural} are mutually exclusive`));
  const complain = (detail: string): void => {
    const list = getField(spec, 'versions');
    const shown = Array.isArray(list) ? list.map(versionValue) : null;
    issues.push(declared(invalid(place, shown, detail)));
  };
  for (const [inVersion, , plural, instead] of EXCLUSIVE)
    if (areIdentical(versions, inVersion))
      complain(
        `per-version ${plural} may not all be set to identical values (top-level ${instead} should be used instead)`,
      );
  const names = versions.map((version) => textAt(version, 'name'));
  if (new Set(names).size < names.length) complain('must contain unique version names');
  if (versions.filter((version) => flagAt(version, 'storage')).length !== 1)
    complain('must have exactly one version marked as storage version');
  return issues;
}

function versionValue(version: JsonValue): JsonObject {
  return goValue(apiextensionsShapes, 'CustomResourceDefinitionVersion', version);
}

function validateVersion(
  version: JsonObject,
  spec: JsonObject,
  path: FieldPath,
  options: ValidationOptions,
): FieldIssue[] {
  const name = textAt(version, 'name');
  const versions = objectsAt(spec, 'versions');
  // Of versions with the same name, which are refused elsewhere, kube-apiserver uses the first.
  const named = versions.find((one) => textAt(one, 'name') === name) ?? version;
  const holder = versions.some((one) => isSet(one, 'subresources')) ? named : spec;
  const hasStatus = objectAt(holder, 'subresources', 'status') !== undefined;
  return [
    ...validateDeprecation(version, path),
    ...validateSchema(objectAt(version, 'schema'), hasStatus, path.child('schema'), {
      ...options,
      anyCost: options.unchangedSchemas.has(name),
    }),
    ...validateSubresources(objectAt(version, 'subresources'), path.child('subresources')),
    ...validateColumns(version, path),
    ...validateSelectableFields(
      version,
      objectAt(version, 'schema', 'openAPIV3Schema'),
      { path, versionName: name, without: 'may only be set when `version.schema.openAPIV3Schema` is not included' },
      options,
    ),
  ];
}

function isSet(holder: JsonObject, name: string): boolean {
  const value = fieldAt(holder, name);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function areIdentical(versions: readonly JsonObject[], name: string): boolean {
  const first = versions[0] && fieldAt(versions[0], name);
  if (first === undefined || (Array.isArray(first) && first.length === 0)) return false;
  return versions.every((version) => {
    const value = fieldAt(version, name);
    return value !== undefined && equalJson(value, first);
  });
}

function validateVersionName(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const name = textAt(spec, 'version');
  if (name === '') return [];
  const issues = checkText(name, name, path);
  const [first] = objectsAt(spec, 'versions');
  if (first !== undefined && textAt(first, 'name') !== name)
    issues.push(invalid(path, name, 'must match the first version in spec.versions'));
  return issues;
}

// ── Fields that all versions share ───────────────────────────────────────────────────────────────────

function validateShared(spec: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  const hasStatus =
    objectAt(spec, 'subresources', 'status') !== undefined ||
    objectsAt(spec, 'versions').some((version) => objectAt(version, 'subresources', 'status') !== undefined);
  const validation = objectAt(spec, 'validation');
  const anyCost = options.unchangedSchemas.has(textAt(spec, 'version'));
  return [
    ...validateSchema(validation, hasStatus, path.child('validation'), { ...options, anyCost }),
    ...validateSubresources(objectAt(spec, 'subresources'), path.child('subresources')),
    ...validateColumns(spec, path),
    ...(listAt(spec, 'selectableFields').length === 0
      ? []
      : validateSelectableFields(
          spec,
          objectAt(spec, 'validation', 'openAPIV3Schema'),
          { path, versionName: '', without: 'may only be set when validations.schema is included' },
          options,
        )),
  ];
}
