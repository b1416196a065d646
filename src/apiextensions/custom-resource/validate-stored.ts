/**
 * Validation of a converted object before it is stored. Invariants: an object that field rules made of a request is
 * stored only if it is valid in the storage version; an object is stored only if it can be converted to every served
 * version. Both may keep the faults that the stored object has.
 */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../apimachinery/validation/label-syntax.ts';
import { validateAnnotations } from '../../apimachinery/validation/validate-object-meta.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { isFailure } from '../../server/resource/converted.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { Converter } from '../conversion/custom-converter.ts';
import { FIELD_RULES_ANNOTATION } from '../conversion/fields/field-rules.ts';
import type { CustomVersion } from './custom-version.ts';

export interface StoredVersions {
  readonly storageVersion: CustomVersion;
  /** The served versions. */
  readonly versions: readonly CustomVersion[];
}

/**
 * Returns the issues of an object in the storage version. `requested` is the version of the request. `old` is the
 * stored object in the storage version; undefined on create.
 */
export function storedIssues(
  converter: Converter,
  { storageVersion, versions }: StoredVersions,
  requested: VersionDefinition,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldIssue[] {
  if (requested !== storageVersion) {
    const issues = convertedIssues(converter, storageVersion, object, old);
    if (issues.length > 0) return issues.map((issue) => explained(issue, converter, requested, storageVersion));
  }
  return versions.flatMap((version) => {
    const [from, to] = [storageVersion.version, version.version];
    if (version === storageVersion || converter.mayFail?.(from, to) !== true) return [];
    const issue = conversionIssue(converter, from, to, object);
    const isOld = issue !== undefined && old !== undefined && conversionIssue(converter, from, to, old) !== undefined;
    return issue === undefined || isOld ? [] : [issue];
  });
}

function convertedIssues(
  { keepsMetadata }: Converter,
  version: CustomVersion,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldIssue[] {
  const found = keepsMetadata === true ? [] : metadataIssues(object);
  return [...found, ...(version.schema()?.validate(object, old === undefined ? { found } : { old, found }) ?? [])];
}

function metadataIssues(object: JsonObject): FieldIssue[] {
  const texts = (name: string) => objectAt(object, 'metadata', name) as Readonly<Record<string, string>> | undefined;
  return [
    ...validateLabels(texts('labels'), FieldPath.of('metadata', 'labels')),
    ...validateAnnotations(texts('annotations'), FieldPath.of('metadata', 'annotations')),
  ];
}

/** Adds to an issue that the value was converted, and by which rule. */
function explained(
  issue: FieldIssue,
  { ruleOf }: Converter,
  requested: VersionDefinition,
  { version }: CustomVersion,
): FieldIssue {
  // Schemas report a whole path as one step.
  const steps = issue.path?.toString().match(/[^.[\]]+/g) ?? [];
  const rule = ruleOf?.(steps, requested.version, version);
  const by = rule === undefined ? '' : ` by ${rule} of the annotation ${FIELD_RULES_ANNOTATION}`;
  const note = `this is the value in ${version}, the stored version, after conversion from ${requested.version}${by}`;
  return { ...issue, detail: issue.detail === '' ? note : `${issue.detail}; ${note}` };
}

/** Tries a conversion. Returns the issue of an object that cannot be converted. */
function conversionIssue(converter: Converter, from: string, to: string, object: JsonObject): FieldIssue | undefined {
  const results = converter.convert([cloneJson(object)], from, to);
  // Only field rules are tried, and they are synchronous.
  const result = isPromise(results) ? undefined : results[0];
  if (result === undefined) return undefined;
  if (!isFailure(result)) {
    const [issue] = converter.keepsMetadata === true ? [] : metadataIssues(result);
    if (issue === undefined) return undefined;
    return forbidden(issue.path, `cannot be converted to ${to}: ${formatIssue(issue)}`);
  }
  const cause = result.status.details?.causes?.[0];
  return forbidden(FieldPath.of(cause?.field ?? 'spec'), `cannot be converted to ${to}: ${cause?.message ?? ''}`);
}
