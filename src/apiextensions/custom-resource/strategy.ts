/**
 * The rules of custom resources: what clients may change, when the generation counts up, what is refused. Invariant: an object is judged in the version of the request, by that version's
 * schema; with the status subresource the main resource never changes the status and `/status` nothing else.
 */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { type Status, StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { addIssues, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../apimachinery/validation/validate-object-meta-update.ts';
import { BugError } from '../../base/errors.ts';
import { cloneJson, equalJson, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import type { ValidateOptions } from '../../schema/compiled-schema.ts';
import { incremented } from '../../server/registry/object-metadata.ts';
import { metadataIn } from '../../server/registry/stored-object.ts';
import type { Strategy, StrategyContext } from '../../server/resource/resource-definition.ts';
import { CustomVersion } from './custom-version.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { integerAt, textAtPath } from './scale-paths.ts';

const METADATA = FieldPath.of('metadata');
const MAX_INT32 = 2147483647;

export interface CustomRules {
  readonly plural: string;
  readonly namespaced: boolean;
  /** No object is created any more. */
  isTerminating(): boolean;
}

/** The rules of the main resource. */
export function customStrategy(rules: CustomRules): Strategy {
  const { namespaced } = rules;
  return {
    sees: 'request',
    nameRule: nameIsDnsSubdomain,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    // Without the status subresource the status counts, so the counting is done here.
    countsGeneration: false,
    validatesMetadata: true,
    prepareForCreate: (object, context) => {
      if (rules.isTerminating()) throw new StatusError(terminating(rules, context, object));
      if (versionOf(context).declared.hasStatus) delete object['status'];
      metadataIn(object)['generation'] = 1;
    },
    validate: (object, context) => {
      const version = versionOf(context);
      if (!version.isOwn(object)) return foreignIssues(version, object, {});
      const facts = metadataIn(object) as ObjectMetaFacts;
      const issues = [...validateObjectMeta(facts, { namespaced, name: nameIsDnsSubdomain }, METADATA)];
      addIssues(issues, version.schema()?.validate(object, { found: issues }) ?? []);
      addIssues(issues, [...scaleSpecIssues(version, object), ...scaleStatusIssues(version, object)]);
      return issues;
    },
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    prepareForUpdate: (object, old, context) => {
      if (versionOf(context).declared.hasStatus) takeStatus(object, old);
      if (differs(object, old)) metadataIn(object)['generation'] = incremented(metadataIn(old)['generation']);
    },
    validateUpdate: (object, old, context) => {
      const version = versionOf(context);
      const warn = (text: string): void => context.request.warn(text);
      if (!version.isOwn(object)) return foreignIssues(version, object, { old, warn });
      const issues = metadataChanges(object, old);
      addIssues(issues, version.schema()?.validate(object, { old, found: issues, warn }) ?? []);
      addIssues(issues, [...scaleSpecIssues(version, object), ...scaleStatusIssues(version, object)]);
      return issues;
    },
    warningsOnUpdate: (object, old) => finalizerWarnings(object, old),
    canonicalize: (object, context) => {
      const version = versionOf(context);
      // The rules never see the default of a status that clients may not set, but who reads the object does. Other versions get it when they are converted to the stored one.
      const { hasStatus, storage } = version.declared;
      if (hasStatus && storage && object['status'] === undefined && version.isOwn(object)) version.setDefaults(object);
    },
  };
}

/** The rules of `/status`: everything but the status stays as it is. */
export function customStatusStrategy(rules: CustomRules): Strategy {
  return {
    ...customStrategy(rules),
    prepareForUpdate: (object, old) => {
      const status = object['status'];
      for (const name of Object.keys(object)) delete object[name];
      const before = cloneJson(old);
      for (const name of Object.keys(before)) setField(object, name, before[name] as JsonValue);
      if (status === undefined) delete object['status'];
      else object['status'] = status;
    },
    validateUpdate: (object, old, context) => {
      const version = versionOf(context);
      const warn = (text: string): void => context.request.warn(text);
      if (!version.isOwn(object)) return foreignIssues(version, object, { old, warn });
      const issues = metadataChanges(object, old);
      addIssues(issues, version.schema()?.validate(object, { old, part: 'status', found: issues, warn }) ?? []);
      addIssues(issues, scaleStatusIssues(version, object));
      return issues;
    },
    warningsOnUpdate: () => [],
  };
}

function terminating({ plural }: CustomRules, { version }: StrategyContext, object: JsonObject): Status {
  const because = 'create not allowed while custom resource definition is terminating';
  return forbidden({ group: version.group, resource: plural }, nameOf(object), because);
}

function versionOf({ version }: StrategyContext): CustomVersion {
  if (version instanceof CustomVersion) return version;
  throw new BugError(`${version.kind} is no custom resource`);
}

/** What is wrong with an object of another kind. It got no defaults, which rules may stumble over, and is refused under the name of that kind. */
function foreignIssues(version: CustomVersion, object: JsonObject, options: ValidateOptions): FieldIssue[] {
  const { kind = '', apiVersion = '' } = object;
  const issues: FieldIssue[] = [];
  if (kind !== version.kind) issues.push(invalid(FieldPath.of('kind'), kind, `must be ${version.kind}`));
  if (apiVersion !== version.apiVersion)
    issues.push(invalid(FieldPath.of('apiVersion'), apiVersion, `must be ${version.apiVersion}`));
  addIssues(issues, version.schema()?.validate(object, { ...options, part: 'rest' }) ?? []);
  return issues;
}

/** The reference looks at them twice, and so does the list of causes. */
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

/** Whether anything beside metadata differs. */
function differs(object: JsonObject, old: JsonObject): boolean {
  for (const name of Object.keys(object)) {
    if (name === 'metadata') continue;
    if (!Object.hasOwn(old, name) || !equalJson(object[name] as JsonValue, old[name] as JsonValue)) return true;
  }
  for (const name of Object.keys(old)) if (name !== 'metadata' && !Object.hasOwn(object, name)) return true;
  return false;
}

function scaleSpecIssues({ declared: { scale } }: CustomVersion, object: JsonObject): FieldIssue[] {
  return scale === undefined ? [] : replicasIssues(object, scale.specReplicasPath);
}

function scaleStatusIssues({ declared: { scale } }: CustomVersion, object: JsonObject): FieldIssue[] {
  if (scale === undefined) return [];
  const issues = replicasIssues(object, scale.statusReplicasPath);
  const { labelSelectorPath: path } = scale;
  const selector = path === '' ? undefined : textAtPath(object, path);
  if (selector?.ok === false) issues.push(invalid(FieldPath.of(path), '', selector.message));
  return issues;
}

function replicasIssues(object: JsonObject, path: string): FieldIssue[] {
  const replicas = integerAt(object, path);
  const at = FieldPath.of(path);
  if (!replicas.ok) return [invalid(at, 0, replicas.message)];
  if (replicas.value < 0) return [invalid(at, replicas.value, 'should be a non-negative integer')];
  if (replicas.value > MAX_INT32) return [invalid(at, replicas.value, `should be less than or equal to ${MAX_INT32}`)];
  return [];
}
