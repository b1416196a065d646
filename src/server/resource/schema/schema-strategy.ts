/**
 * The strategy of resources whose versions are structural schemas. An object is validated in the version of the
 * request, by that version's schema. With the subresource `status`, the main resource never changes the status and
 * `/status` changes nothing else.
 */
import { fieldSetOf } from '../../../apimachinery/field-set/field-set.ts';
import { excludeFilter } from '../../../apimachinery/field-set/set-filter.ts';
import { managedFieldsOf, setManagedFields } from '../../../apimachinery/managed-fields/object-managed-fields.ts';
import { addIssues, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { type NameRule, nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { BugError } from '../../../base/errors.ts';
import { cloneJson, equalJson, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import type { ValidateOptions } from '../../../schema/compiled-schema.ts';
import { incremented } from '../../registry/object-metadata.ts';
import { metadataIn } from '../../registry/stored-object.ts';
import type { Strategy, StrategyContext } from '../strategy.ts';
import type { VersionDefinition } from '../version-definition.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { SchemaVersion } from './schema-version.ts';

const METADATA = FieldPath.of('metadata');

// In kube-apiserver the main resource of a custom resource resets fields in the version of the request only. Fields of
// the root other than metadata and spec are restored on `/status`, too, but are not among the reset fields.
const STATUS_ALONE = excludeFilter(fieldSetOf(['status']));
const ALL_BUT_STATUS = excludeFilter(fieldSetOf(['metadata'], ['spec']));

export interface SchemaRules {
  readonly namespaced: boolean;
  /** Default: DNS subdomains. */
  readonly nameRule?: NameRule;
  /** Runs before everything else on a create, and may refuse it with a StatusError. */
  admitCreate?(object: JsonObject, context: StrategyContext): void;
  /**
   * Changes the object before validation, in place. `old` is undefined on a create. Not called for `/status`. Default:
   * nothing.
   */
  prepare?(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): void;
  /**
   * Returns warnings beyond those of the metadata, for valid objects. `old` is undefined on a create. Default: none.
   */
  warnings?(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly string[];
  /** Returns issues beyond those of metadata and schema. `old` is undefined on a create. Default: none. */
  validateMore?(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldIssue[];
  /** As `validateMore`, for an update of `/status`. Default: none. */
  validateMoreStatus?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly FieldIssue[];
}

/** Returns the strategy of the main resource. */
export function schemaStrategy(rules: SchemaRules): Strategy {
  const { namespaced, nameRule = nameIsDnsSubdomain } = rules;
  return {
    objectVersion: 'request',
    nameRule,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    // Without the status subresource a change of the status counts, too. Therefore this strategy counts by itself.
    countsGeneration: false,
    validatesMetadata: true,
    resetFields: (version, requested) => (version === requested && hasStatus(version) ? STATUS_ALONE : undefined),
    prepareForCreate: (object, context) => {
      rules.admitCreate?.(object, context);
      if (versionOf(context).hasStatus) delete object['status'];
      rules.prepare?.(object, undefined, context);
      metadataIn(object)['generation'] = 1;
    },
    validate: (object, context) => {
      const version = versionOf(context);
      if (!version.isOwn(object)) return foreignIssues(version, object, {});
      const issues = newObjectIssues(version, object, { namespaced, nameRule });
      addIssues(issues, rules.validateMore?.(object, undefined, context) ?? []);
      return issues;
    },
    warningsOnCreate: (object, context) => [
      ...finalizerWarnings(object, undefined),
      ...(rules.warnings?.(object, undefined, context) ?? []),
    ],
    prepareForUpdate: (object, old, context) => {
      if (versionOf(context).hasStatus) takeStatus(object, old);
      rules.prepare?.(object, old, context);
      if (differs(object, old)) metadataIn(object)['generation'] = incremented(metadataIn(old)['generation']);
    },
    validateUpdate: (object, old, context) => {
      const version = versionOf(context);
      const warn = (text: string): void => context.request.warn(text);
      if (!version.isOwn(object)) return foreignIssues(version, object, { old, warn });
      const issues = metadataChanges(object, old);
      addIssues(issues, version.schema()?.validate(object, { old, found: issues, warn }) ?? []);
      addIssues(issues, rules.validateMore?.(object, old, context) ?? []);
      return issues;
    },
    warningsOnUpdate: (object, old, context) => [
      ...finalizerWarnings(object, old),
      ...(rules.warnings?.(object, old, context) ?? []),
    ],
    canonicalize: (object, context) => {
      const version = versionOf(context);
      // Validation must not see the default of a status that clients cannot set, but stored objects have it. Nulls of
      // an applied configuration that are valid are not stored. Objects of other versions are completed when they are
      // converted to the storage version.
      const { hasStatus, isStorage } = version;
      if (!isStorage || !version.isOwn(object)) return;
      if ((hasStatus && object['status'] === undefined) || hasNull(object)) version.setDefaults(object);
    },
  };
}

function hasNull(value: JsonValue): boolean {
  if (typeof value !== 'object') return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const name in value) if (hasNull(value[name] as JsonValue)) return true;
  return false;
}

/** Returns the strategy of `/status`, which restores everything but the status. */
export function schemaStatusStrategy(rules: SchemaRules): Strategy {
  return {
    ...schemaStrategy(rules),
    resetFields: (version) => (hasStatus(version) ? ALL_BUT_STATUS : undefined),
    prepareForUpdate: (object, old) => {
      const status = object['status'];
      // The managedFields of the new object are kept: they record the change of the status.
      const managedFields = managedFieldsOf(object);
      for (const name of Object.keys(object)) delete object[name];
      const before = cloneJson(old);
      for (const name of Object.keys(before)) setField(object, name, before[name] as JsonValue);
      setManagedFields(object, Array.isArray(managedFields) ? managedFields : undefined);
      if (status === undefined) delete object['status'];
      else object['status'] = status;
    },
    validateUpdate: (object, old, context) => {
      const version = versionOf(context);
      const warn = (text: string): void => context.request.warn(text);
      if (!version.isOwn(object)) return foreignIssues(version, object, { old, warn });
      const issues = metadataChanges(object, old);
      addIssues(issues, version.schema()?.validate(object, { old, part: 'status', found: issues, warn }) ?? []);
      addIssues(issues, rules.validateMoreStatus?.(object, old, context) ?? []);
      return issues;
    },
    warningsOnUpdate: () => [],
  };
}

/**
 * Returns the strategy of writes by the resource's own code, such as actions: they may change spec and status at once.
 * Such a write needs no resourceVersion.
 */
export function wholeObjectStrategy(rules: SchemaRules): Strategy {
  const { resetFields: _, ...strategy } = schemaStrategy(rules);
  return {
    ...strategy,
    allowUnconditionalUpdate: true,
    prepareForUpdate: (object, old, context) => {
      const { status: _s, ...next } = object;
      const { status: _o, ...before } = old;
      const isChanged = versionOf(context).hasStatus ? differs(next, before) : differs(object, old);
      if (isChanged) metadataIn(object)['generation'] = incremented(metadataIn(old)['generation']);
    },
  };
}

function hasStatus(version: VersionDefinition): boolean {
  return version instanceof SchemaVersion && version.hasStatus;
}

/** Returns the issues of the metadata and of the schema for an object that is to be created. */
export function newObjectIssues(
  version: SchemaVersion,
  object: JsonObject,
  { namespaced, nameRule = nameIsDnsSubdomain }: Pick<SchemaRules, 'namespaced' | 'nameRule'>,
): FieldIssue[] {
  const facts = metadataIn(object) as ObjectMetaFacts;
  const issues = [...validateObjectMeta(facts, { namespaced, name: nameRule }, METADATA)];
  addIssues(issues, version.schema()?.validate(object, { found: issues }) ?? []);
  return issues;
}

function versionOf({ version }: StrategyContext): SchemaVersion {
  if (version instanceof SchemaVersion) return version;
  throw new BugError(`the version ${version.version} of ${version.kind} has no structural schema`);
}

/** Issues of an object of another kind or version. It has no defaults, so types and limits are not validated. */
function foreignIssues(version: SchemaVersion, object: JsonObject, options: ValidateOptions): FieldIssue[] {
  const { kind = '', apiVersion = '' } = object;
  const issues: FieldIssue[] = [];
  if (kind !== version.kind) issues.push(invalid(FieldPath.of('kind'), kind, `must be ${version.kind}`));
  if (apiVersion !== version.apiVersion)
    issues.push(invalid(FieldPath.of('apiVersion'), apiVersion, `must be ${version.apiVersion}`));
  addIssues(issues, version.schema()?.validate(object, { ...options, part: 'rest' }) ?? []);
  return issues;
}

/**
 * Returns the issues of metadata changes. The store reports them too; kube-apiserver also lists them twice in the
 * causes of its Status.
 */
function metadataChanges(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateObjectMetaUpdate(metadataIn(object) as ObjectMetaFacts, metadataIn(old) as ObjectMetaFacts, METADATA),
  ];
}

function takeStatus(object: JsonObject, old: JsonObject): void {
  const { status } = old;
  if (status !== undefined) object['status'] = cloneJson(status);
  else delete object['status'];
}

/** Reports whether anything besides metadata differs. */
function differs(object: JsonObject, old: JsonObject): boolean {
  for (const name of Object.keys(object)) {
    if (name === 'metadata') continue;
    if (!Object.hasOwn(old, name) || !equalJson(object[name] as JsonValue, old[name] as JsonValue)) return true;
  }
  for (const name of Object.keys(old)) if (name !== 'metadata' && !Object.hasOwn(object, name)) return true;
  return false;
}
