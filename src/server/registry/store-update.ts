/**
 * The update verb, for PUT and PATCH. See Strategy for the order of the steps.
 * Invariant: a change is written only over the state that it was applied to. A change without effect is not written. An
 * update that removes the last finalizer of a terminating object deletes the object.
 */

import { ignoreManagedFieldsTimestamps } from '../../apimachinery/managed-fields/ignore-timestamps.ts';
import { cloneObject } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { isTerminating, nameOf } from '../../apimachinery/meta/meta.ts';
import { isStatusError, StatusError } from '../../apimachinery/status/status.ts';
import { conflict, invalid, notFound } from '../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, invalid as invalidField } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../apimachinery/validation/validate-object-meta-update.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ObjectChange, ResourceContext, UpdateRequest, WriteAnswer } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import { changeKey, type Step } from './change-key.ts';
import { countGeneration, keepGeneration, keepSystemFields, settleNamespace } from './object-metadata.ts';
import { checkPreconditions } from './preconditions.ts';
import { objectRevision } from './resource-version.ts';
import { answering } from './storage-status.ts';
import type { StrategyStore } from './store-core.ts';
import { answerUnstored, answerWrite, judgedVersion, prepareNew, refuse, writeOptions } from './store-create.ts';
import { encodeFitting, encodeStored, metadataIn, readStored, type StoredState } from './stored-object.ts';

const METADATA = FieldPath.of('metadata');
const RESOURCE_VERSION = METADATA.child('resourceVersion');

/** The parts of an update that are the same in every attempt. */
interface Update extends StrategyStore {
  readonly context: ResourceContext;
  readonly key: string;
  readonly change: ObjectChange;
  readonly request: UpdateRequest;
}

export function updateObject(
  { core, strategy }: StrategyStore,
  context: ResourceContext,
  change: ObjectChange,
  request: UpdateRequest,
): MaybePromise<WriteAnswer> {
  const key = core.keys.key(context.namespace, context.name);
  const update: Update = { core, strategy, context, key, change, request };
  return answering(core.resourceName(context), 'update', () =>
    changeKey(core, context, key, (current) =>
      current === undefined ? createInstead(update) : replace(update, current),
    ),
  );
}

async function createInstead(update: Update): Promise<Step<WriteAnswer>> {
  const { core, context, change, request, strategy } = update;
  if (!strategy.allowCreateOnUpdate && !request.forceAllowCreate)
    throw new StatusError(notFound(core.resourceName(context), context.name));
  checkExpectations(update, undefined);
  const object = await change.apply(undefined);
  const stored = await prepareNew(update, context, object, request.validateCreate);
  if (request.dryRun) return { type: 'answer', answer: () => answerUnstored(core, context, stored, true) };
  return {
    type: 'write',
    value: encodeFitting(stored, request.keepManagedFields),
    options: writeOptions(strategy, stored),
    done: (state) => answerWrite(core, context, state, true),
  };
}

async function replace(update: Update, current: StoredState): Promise<Step<WriteAnswer>> {
  const { core, strategy, context, change } = update;
  const { versions } = core;
  const old = readStored(current);
  const exact = core.isExact(current.revision);
  checkExpectations(update, metadataIn(old));
  const oldShown = await (exact && shared(update)
    ? old
    : versions.fromStored(cloneObject(old), context.version, exact));
  const shown = await change.apply(cloneObject(oldShown));
  checkVersion(update, shown, current);
  const seesHub = strategy.objectVersion === 'storage';
  const seen = await (seesHub ? versions.toHub(shown, context.version) : shown);
  const oldHub = exact || !seesHub ? old : await versions.fromStored(cloneObject(old), versions.hub, false);
  const oldSeen = seesHub ? oldHub : oldShown;
  prepareUpdate(update, seen, oldSeen);
  const access = strategy.authorizeUpdate?.(seen, oldSeen, context);
  validateUpdate(update, seen, oldSeen, access === undefined ? [] : await access);
  ignoreManagedFieldsTimestamps(seen, oldSeen);
  await validateAdmission(update, seen, oldShown);
  const stored = await (seesHub ? seen : versions.toHub(seen, context.version));
  if (strategy.validateStored !== undefined && !isReleased(strategy, stored, old)) {
    const before = exact || seesHub ? oldHub : await hubOf(update, old);
    refuse(versions.hub, stored, strategy.validateStored(stored, before, context));
  }
  return decide(update, current, old, stored);
}

/**
 * Returns the stored object in the storage version; undefined if it cannot be converted, so that it can still be
 * replaced.
 */
async function hubOf({ core: { versions } }: Update, stored: JsonObject): Promise<JsonObject | undefined> {
  try {
    return await versions.fromStored(cloneJson(stored), versions.hub, false);
  } catch (caught) {
    if (isStatusError(caught)) return undefined;
    throw caught;
  }
}

/** Whether the version of the request is the storage version, so that one object serves for both. */
function shared({ core, context }: Update): boolean {
  return core.versions.formOf(context.version) === undefined;
}

function checkExpectations({ core, context, key, change, request }: Update, metadata: JsonObject | undefined): void {
  checkPreconditions(change.preconditions, metadata, {
    resource: core.resourceName(context),
    name: context.name,
    // In a dry run kube-apiserver's messages have the key without its first segment.
    key: request.dryRun ? key.slice(key.indexOf('/') + 1) : key,
  });
}

/**
 * Checks that the resourceVersion of the update is the current one. An update without a resourceVersion passes if the
 * strategy allows it.
 */
function checkVersion({ core, strategy, context }: Update, object: JsonObject, current: StoredState): void {
  const metadata = metadataIn(object);
  const revision = objectRevision(String(metadata['resourceVersion'] ?? ''));
  const resource = core.resourceName(context);
  if (revision === 0 && strategy.allowUnconditionalUpdate) metadata['resourceVersion'] = String(current.revision);
  else if (revision === 0) {
    const kind = { group: resource.group, kind: resource.resource };
    const issue = invalidField(RESOURCE_VERSION, 0, 'must be specified for an update');
    throw new StatusError(invalid(kind, context.name, [issue]));
  } else if (revision !== current.revision) throw new StatusError(conflict(resource, context.name));
}

function prepareUpdate(update: Update, object: JsonObject, old: JsonObject): void {
  const { core, strategy, context } = update;
  const metadata = metadataIn(object);
  const oldMetadata = metadataIn(old);
  settleNamespace(metadata, core.keys.namespaced ? context.namespace : '');
  keepGeneration(metadata, oldMetadata);
  strategy.prepareForUpdate?.(object, old, context);
  countGeneration(strategy, object, old);
  keepSystemFields(metadataIn(object), oldMetadata);
}

/** Throws a 422 for an invalid update; canonicalizes a valid object. `access` are the issues of `authorizeUpdate`. */
function validateUpdate(update: Update, object: JsonObject, old: JsonObject, access: readonly FieldIssue[]): void {
  const { core, strategy, context } = update;
  const facts = metadataIn(object) as ObjectMetaFacts;
  refuse(judgedVersion(update, context), object, [
    ...validateObjectMeta(facts, { namespaced: core.keys.namespaced, name: nameIsPathSegment }, METADATA),
    ...validateObjectMetaUpdate(facts, metadataIn(old) as ObjectMetaFacts, METADATA),
    ...access,
    ...(strategy.validateUpdate?.(object, old, context) ?? []),
  ]);
  for (const warning of strategy.warningsOnUpdate?.(object, old, context) ?? []) context.request.warn(warning);
  strategy.canonicalize?.(object, context);
}

/** Runs validating admission on both objects in the version of the request. */
function validateAdmission(update: Update, seen: JsonObject, oldShown: JsonObject): MaybePromise<void> {
  const { core, strategy, context, request } = update;
  if (shared(update) || strategy.objectVersion === 'request') return request.validateUpdate(seen, oldShown);
  return andThen(core.versions.fromHub(cloneObject(seen), context.version), (shown) =>
    request.validateUpdate(shown, oldShown),
  );
}

function decide(update: Update, current: StoredState, old: JsonObject, stored: JsonObject): Step<WriteAnswer> {
  const { core, context, request, strategy } = update;
  if (isReleased(strategy, stored, old)) {
    const answer = (): MaybePromise<WriteAnswer> => answerUnstored(core, context, stored, false);
    return request.dryRun ? { type: 'answer', answer } : { type: 'delete', done: answer };
  }
  if (request.dryRun) return { type: 'answer', answer: () => answerUnstored(core, context, stored, false) };
  if (current.stale !== true && equalJson(stored, old))
    return {
      type: 'answer',
      answer: () => answerWrite(core, context, unchanged(current, old), false),
      unchanged: true,
    };
  return {
    type: 'write',
    value: encodeFitting(stored, request.keepManagedFields),
    options: writeOptions(strategy, stored),
    done: (state) => answerWrite(core, context, state, false),
  };
}

/** Returns the state with the bytes of storage, because bytes of the cache contain the resourceVersion. */
function unchanged({ key, revision }: StoredState, old: JsonObject): StoredState {
  return { key, revision, value: encodeStored(old) };
}

/** Whether the update has removed the last finalizer, or the last hold of the strategy, of a terminating object. */
function isReleased(strategy: Strategy, object: JsonObject, old: JsonObject): boolean {
  const { finalizers } = metadataIn(object);
  if (Array.isArray(finalizers) && finalizers.length > 0) return false;
  if (!isTerminating(old) || nameOf(old) === '') return false;
  const grace = metadataIn(old)['deletionGracePeriodSeconds'] ?? 0;
  return Number(grace) === 0 && strategy.holdsDeletion?.(object) !== true;
}
