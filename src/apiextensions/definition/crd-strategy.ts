/**
 * How definitions are written and go. Invariant: the status is the server's and changes through its own path only; a definition that is deleted is first marked and held by the finalizer
 * that empties it.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { ensureObject, objectAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { cloneJson, getField, type JsonObject } from '../../base/json-value.ts';
import { strategyWithDefaults } from '../../server/resource/stored-resource.ts';
import type { Strategy, StrategyContext } from '../../server/resource/strategy.ts';
import { hasFieldRules, validateFieldRules } from '../conversion/validate-field-rules.ts';
import { type Crd, readCrd } from '../crd.ts';
import { setCondition } from './crd-conditions.ts';
import { toV1 } from './crd-conversion.ts';
import { storageVersionName } from './crd-defaults.ts';
import { unknownFormats } from './validation/unknown-formats.ts';
import {
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from './validation/validate-definition.ts';
import type { ValidationTools } from './validation/validation-options.ts';

/** Whoever deletes the instances takes it away. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export const V1BETA1 = 'v1beta1';

export interface DefinitionTools extends ValidationTools {
  /** See Strategy. Default: nothing is written. */
  readonly followCreate?: NonNullable<Strategy['followCreate']>;
}

/** Each version is judged as it came, because v1beta1 may say what v1 cannot. */
export function definitionStrategy(tools: DefinitionTools): Strategy {
  const { followCreate } = tools;
  return strategyWithDefaults({
    ...(followCreate === undefined ? {} : { followCreate }),
    objectVersion: 'request',
    allowUnconditionalUpdate: false,
    countsGeneration: true,
    prepareForCreate,
    validate: (object, context) => {
      const issues = validateDefinition(object, { isV1beta1: isV1beta1(context), tools });
      return issues.length > 0 || !hasFieldRules(object)
        ? issues
        : validateFieldRules(crdOf(object, context), undefined);
    },
    warningsOnCreate: (object, context) => formatWarnings(unknownFormats(object, isV1beta1(context))),
    prepareForUpdate,
    validateUpdate: (object, old, context) => {
      const issues = validateDefinitionUpdate(object, old, { isV1beta1: isV1beta1(context), tools });
      if (issues.length > 0 || !hasFieldRules(object)) return issues;
      return validateFieldRules(crdOf(object, context), crdOf(old, context));
    },
    warningsOnUpdate: (object, old, context) => {
      const known = new Set(unknownFormats(old, isV1beta1(context)));
      return formatWarnings(unknownFormats(object, isV1beta1(context)).filter((format) => !known.has(format)));
    },
    holdsDeletion: (object) => textAt(object, 'metadata', 'deletionTimestamp') === '',
    prepareForDeletion,
    defaultGarbageCollection: 'unsupported',
  });
}

/** `/status`: everything but the spec may change; metadata too, as in the reference. */
export function definitionStatusStrategy(tools: DefinitionTools): Strategy {
  const { warningsOnUpdate: _, ...strategy } = definitionStrategy(tools);
  return {
    ...strategy,
    prepareForUpdate: (object, old) => {
      const spec = getField(old, 'spec');
      if (spec !== undefined) object['spec'] = spec;
    },
    validateUpdate: validateDefinitionStatusUpdate,
  };
}

/** Conversion by field rules is about v1's form, which both versions have one of. */
function crdOf(object: JsonObject, context: StrategyContext): Crd {
  return readCrd(isV1beta1(context) ? toV1(object, '') : object);
}

function isV1beta1({ version }: StrategyContext): boolean {
  return version.version === V1BETA1;
}

function formatWarnings(formats: readonly string[]): readonly string[] {
  return formats.map((format) => `unrecognized format ${quote(format)}`);
}

/** The status begins empty but for the version that is stored. */
function prepareForCreate(object: JsonObject): void {
  const storage = storageVersionName(object);
  object['status'] = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? null : [storage],
  };
}

/** A new storage version is one more stored version. */
function prepareForUpdate(object: JsonObject, old: JsonObject): void {
  const status = cloneJson(objectAt(old, 'status') ?? {});
  object['status'] = status;
  const storage = storageVersionName(object);
  const stored = textsAt(status, 'storedVersions');
  if (storage !== undefined && !stored.includes(storage)) status['storedVersions'] = [...stored, storage];
}

/** The first request to delete marks the definition, holds it and tells so; it neither counts a generation nor says how long to wait. */
function prepareForDeletion(object: JsonObject, isFirst: boolean): void {
  if (!isFirst) return;
  const metadata = ensureObject(object, 'metadata');
  const { generation } = metadata;
  if (typeof generation === 'number' && generation > 1) metadata['generation'] = generation - 1;
  delete metadata['deletionGracePeriodSeconds'];
  const finalizers = textsAt(metadata, 'finalizers');
  if (!finalizers.includes(CLEANUP_FINALIZER)) metadata['finalizers'] = [...finalizers, CLEANUP_FINALIZER];
  setCondition(
    object,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    textAt(metadata, 'deletionTimestamp'),
  );
}
