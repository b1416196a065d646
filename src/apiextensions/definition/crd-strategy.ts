/**
 * The strategy of CustomResourceDefinition. Invariants: clients change the status only through `/status`; a definition
 * is marked and held by the cleanup finalizer before it is deleted.
 */

import { quote } from '../../apimachinery/go-format.ts';
import { ensureObject, objectAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { cloneJson, getField, type JsonObject } from '../../base/json-value.ts';
import { RESETS_SPEC } from '../../server/resource/reset-fields.ts';
import { strategyWithDefaults } from '../../server/resource/stored-resource.ts';
import type { Strategy, StrategyContext } from '../../server/resource/strategy.ts';
import { setCondition } from './crd-conditions.ts';
import { storageVersionName } from './crd-defaults.ts';
import { unknownFormats } from './validation/unknown-formats.ts';
import {
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from './validation/validate-definition.ts';
import type { ValidationTools } from './validation/validation-options.ts';

/** The finalizer that the finalizing loop removes after the last instance is gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export const V1BETA1 = 'v1beta1';

export interface DefinitionTools extends ValidationTools {
  /** See Strategy. Default: nothing is written. */
  readonly followCreate?: NonNullable<Strategy['followCreate']>;
}

/** Validates objects in the version of the request, because v1beta1 allows what v1 cannot express. */
export function definitionStrategy(tools: DefinitionTools): Strategy {
  const { followCreate } = tools;
  return strategyWithDefaults({
    ...(followCreate === undefined ? {} : { followCreate }),
    objectVersion: 'request',
    allowUnconditionalUpdate: false,
    countsGeneration: true,
    prepareForCreate,
    validate: (object, context) => validateDefinition(object, { isV1beta1: isV1beta1(context), tools }),
    warningsOnCreate: (object, context) => formatWarnings(unknownFormats(object, isV1beta1(context))),
    prepareForUpdate,
    validateUpdate: (object, old, context) =>
      validateDefinitionUpdate(object, old, { isV1beta1: isV1beta1(context), tools }),
    warningsOnUpdate: (object, old, context) => {
      const known = new Set(unknownFormats(old, isV1beta1(context)));
      return formatWarnings(unknownFormats(object, isV1beta1(context)).filter((format) => !known.has(format)));
    },
    holdsDeletion: (object) => textAt(object, 'metadata', 'deletionTimestamp') === '',
    prepareForDeletion,
    defaultGarbageCollection: 'unsupported',
  });
}

/** The strategy of `/status`. Updates may change everything but the spec; metadata too, as in kube-apiserver. */
export function definitionStatusStrategy(tools: DefinitionTools): Strategy {
  const { warningsOnUpdate: _, ...strategy } = definitionStrategy(tools);
  return {
    ...strategy,
    resetFields: RESETS_SPEC,
    prepareForUpdate: (object, old) => {
      const spec = getField(old, 'spec');
      if (spec !== undefined) object['spec'] = spec;
    },
    validateUpdate: (object, old, context) =>
      validateDefinitionStatusUpdate(object, old, { isV1beta1: isV1beta1(context) }),
  };
}

function isV1beta1({ version }: StrategyContext): boolean {
  return version.version === V1BETA1;
}

function formatWarnings(formats: readonly string[]): readonly string[] {
  return formats.map((format) => `unrecognized format ${quote(format)}`);
}

/** Clears the status but for the stored version. */
export function prepareForCreate(object: JsonObject): void {
  const storage = storageVersionName(object);
  object['status'] = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? null : [storage],
  };
}

/** Adds a new storage version to the stored versions. */
function prepareForUpdate(object: JsonObject, old: JsonObject): void {
  const status = cloneJson(objectAt(old, 'status') ?? {});
  object['status'] = status;
  const storage = storageVersionName(object);
  const stored = textsAt(status, 'storedVersions');
  if (storage !== undefined && !stored.includes(storage)) status['storedVersions'] = [...stored, storage];
}

/**
 * Called for every delete request. The first one adds the finalizer and the condition Terminating. It leaves generation
 * and deletionGracePeriodSeconds as they were before the request.
 */
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
