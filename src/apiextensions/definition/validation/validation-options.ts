/**
 * The strictness of the validation of a definition. Invariant: an update may keep a violation that the stored
 * definition already has, because the rule may be newer than the definition.
 */

import { fieldAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { equalJson, getField, type JsonObject } from '../../../base/json-value.ts';
import { readConditions } from '../../crd.ts';
import { isConditionTrue } from '../crd-conditions.ts';
import type { CheckCaBundle } from './check-ca-bundle.ts';
import type { SchemaChecks } from './schema-checks.ts';
import { hasInvalidMapListKeys, hasInvalidType, hasNonAtomicSet, schemaHas, schemasOf } from './schema-walk.ts';

export const MAX_SELECTABLE_FIELDS = 8;

export interface ValidationOptions {
  /** The reason why schemas may not have defaults. Undefined: they may. */
  readonly defaultsForbidden: string | undefined;
  readonly requireRecognizedReviewVersion: boolean;
  readonly requireImmutableNames: boolean;
  readonly requireSchema: boolean;
  readonly requireValidTypes: boolean;
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireSoundMapKeys: boolean;
  readonly allowBadCaBundle: boolean;
  /** The names of versions whose schema has not changed. The cost of their rules is not limited. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** The names of versions that may have too many selectable fields. '' for those in the spec. */
  readonly tooManyFieldsAllowed: ReadonlySet<string>;
  readonly checks: SchemaChecks;
  readonly caBundle: CheckCaBundle;
}

/** The checks that other layers provide. */
export type ValidationTools = Pick<ValidationOptions, 'checks' | 'caBundle'>;

const V1BETA1_DEFAULTS =
  '(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)';

/** Returns the options for a create. v1beta1 does not require schemas, nor that they are structural. */
export function optionsForCreate(isV1beta1: boolean, tools: ValidationTools): ValidationOptions {
  return {
    defaultsForbidden: isV1beta1 ? V1BETA1_DEFAULTS : undefined,
    requireRecognizedReviewVersion: true,
    requireImmutableNames: false,
    requireSchema: !isV1beta1,
    requireValidTypes: !isV1beta1,
    requireStructural: !isV1beta1,
    requirePrunedDefaults: true,
    requireAtomicSets: true,
    requireSoundMapKeys: true,
    // Such a definition is not established as long as its bundle is invalid.
    allowBadCaBundle: true,
    unchangedSchemas: new Set(),
    tooManyFieldsAllowed: new Set(),
    ...tools,
  };
}

/** Returns the options for an update from `old` to `object`, both in the form of v1beta1. */
export function optionsForUpdate(
  object: JsonObject,
  old: JsonObject,
  isV1beta1: boolean,
  tools: ValidationTools,
): ValidationOptions {
  const { checks } = tools;
  const schemas = schemasOf(old);
  const has = (test: (schema: JsonObject) => boolean): boolean => schemas.some((schema) => schemaHas(schema, test));
  const hasDefaults = has((schema) => getField(schema, 'default') !== undefined);
  return {
    defaultsForbidden: isV1beta1 && !hasDefaults ? V1BETA1_DEFAULTS : undefined,
    requireRecognizedReviewVersion: hasRecognizedReviewVersion(old),
    requireImmutableNames: isEstablished(old),
    requireSchema: !isV1beta1 && hasAllSchemas(old),
    requireValidTypes: !isV1beta1 && !has(hasInvalidType),
    requireStructural: !isV1beta1 && schemas.every((schema) => checks.isStructural(schema)),
    requirePrunedDefaults: !schemas.some((schema) => checks.hasUnprunedDefaults(schema)),
    requireAtomicSets: !has(hasNonAtomicSet),
    requireSoundMapKeys: !has(hasInvalidMapListKeys),
    allowBadCaBundle: allowsBadCaBundle(old, tools.caBundle),
    unchangedSchemas: unchangedSchemas(object, old),
    tooManyFieldsAllowed: tooManyFieldsAllowed(object, old),
    ...tools,
  };
}

export function isRecognizedReviewVersion(version: string): boolean {
  return version === 'v1' || version === 'v1beta1';
}

function hasRecognizedReviewVersion(old: JsonObject): boolean {
  const versions = textsAt(old, 'spec', 'conversion', 'conversionReviewVersions');
  return versions.length === 0 || versions.some(isRecognizedReviewVersion);
}

function isEstablished(object: JsonObject): boolean {
  return isConditionTrue({ conditions: readConditions(object) }, 'Established');
}

function hasAllSchemas(object: JsonObject): boolean {
  if (objectAt(object, 'spec', 'validation', 'openAPIV3Schema') !== undefined) return true;
  return objectsAt(object, 'spec', 'versions').every(
    (version) => objectAt(version, 'schema', 'openAPIV3Schema') !== undefined,
  );
}

function allowsBadCaBundle(old: JsonObject, check: CheckCaBundle): boolean {
  if (!isEstablished(old)) return true;
  const bundle = textAt(old, 'spec', 'conversion', 'webhookClientConfig', 'caBundle');
  return bundle !== '' && check(bundle) !== undefined;
}

function unchangedSchemas(object: JsonObject, old: JsonObject): ReadonlySet<string> {
  const names = objectsAt(object, 'spec', 'versions').map((version) => textAt(version, 'name'));
  return new Set(
    names.filter((name) => {
      const next = schemaOf(object, name);
      const before = schemaOf(old, name);
      if (next === 'unclear' || before === 'unclear') return false;
      return next === undefined || before === undefined ? next === before : equalJson(next, before);
    }),
  );
}

/**
 * Returns the schema of a version, in the version or in the spec. Returns `unclear` if the version is missing or
 * schemas are in both places.
 */
function schemaOf(object: JsonObject, name: string): JsonObject | undefined | 'unclear' {
  const versions = objectsAt(object, 'spec', 'versions');
  const top = objectAt(object, 'spec', 'validation');
  if (!versions.some((version) => fieldAt(version, 'schema') !== undefined)) return top;
  if (top !== undefined) return 'unclear';
  const version = versions.find((candidate) => textAt(candidate, 'name') === name);
  return version === undefined ? 'unclear' : objectAt(version, 'schema');
}

function tooManyFieldsAllowed(object: JsonObject, old: JsonObject): ReadonlySet<string> {
  const allowed = new Set<string>();
  const compare = (name: string, next: JsonObject, before: JsonObject): void => {
    const fields = fieldAt(before, 'selectableFields');
    if (!Array.isArray(fields) || fields.length <= MAX_SELECTABLE_FIELDS) return;
    const now = fieldAt(next, 'selectableFields');
    if (now !== undefined && equalJson(now, fields)) allowed.add(name);
  };
  compare('', objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {});
  const oldVersions = new Map(objectsAt(old, 'spec', 'versions').map((version) => [textAt(version, 'name'), version]));
  for (const version of objectsAt(object, 'spec', 'versions')) {
    const before = oldVersions.get(textAt(version, 'name'));
    if (before !== undefined) compare(textAt(version, 'name'), version, before);
  }
  return allowed;
}
