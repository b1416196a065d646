/**
 * The create verb. See Strategy for the order of the steps.
 * Invariant: the stored object is the object that was validated.
 */

import { cloneObject } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { type GroupResource, parseGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { isAlreadyExists, StatusError } from '../../apimachinery/status/status.ts';
import { alreadyExists, generateNameConflict, invalid, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, tooLong } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { generateName } from '../../apimachinery/validation/name-rules.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../../apimachinery/validation/validate-object-meta.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { utf8Length } from '../../base/utf8.ts';
import { MAX_KEY_BYTES } from '../../storage/keys.ts';
import type { CreateOptions, WriteResult } from '../../storage/storage.ts';
import type { CreateRequest, ResourceContext, ValidateCreate, WriteAnswer } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { fillSystemFields, settleNamespace } from './object-metadata.ts';
import { parseVersion } from './resource-version.ts';
import { answering } from './storage-status.ts';
import type { StoreCore, StrategyStore } from './store-core.ts';
import {
  encodeFitting,
  encodeStored,
  encodeUnstored,
  metadataIn,
  readStored,
  type StoredState,
} from './stored-object.ts';

/**
 * The most attempts to find a free generated name, as in kube-apiserver (registry store,
 * maxNameGenerationCreateAttempts).
 */
const NAME_ATTEMPTS = 8;
const METADATA = FieldPath.of('metadata');
const VERSION_SET = 'resourceVersion should not be set on objects to be created';

export function createObject(
  store: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  request: CreateRequest,
): MaybePromise<WriteAnswer> {
  return answering(store.core.resourceName(context), 'create', () => {
    const metadata = metadataIn(object);
    if (isSet(metadata['name']) || !isSet(metadata['generateName'])) return createOnce(store, context, object, request);
    return createWithGeneratedName(store, context, object, request);
  });
}

async function createWithGeneratedName(
  store: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  request: CreateRequest,
): Promise<WriteAnswer> {
  const isKept = isUnprepared(store, context);
  for (let attempt = 1; ; attempt++) {
    // The last attempt needs no copy.
    const copy = isKept || attempt === NAME_ATTEMPTS ? object : cloneObject(object);
    if (isKept) metadataIn(copy)['name'] = '';
    try {
      return await createOnce(store, context, copy, request);
    } catch (caught) {
      if (attempt === NAME_ATTEMPTS || !isAlreadyExists(caught)) throw caught;
    }
  }
}

/**
 * Whether an attempt changes only metadata that the next attempt sets again, so that no copy of the object is needed.
 */
function isUnprepared({ core, strategy }: StrategyStore, { version }: ResourceContext): boolean {
  if (strategy.prepareForCreate !== undefined || strategy.canonicalize !== undefined) return false;
  return core.versions.formOf(version) === undefined;
}

function createOnce(
  store: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  request: CreateRequest,
): MaybePromise<WriteAnswer> {
  fillName(store.core, object);
  return andThen(prepareNew(store, context, object, request.validate), (stored) =>
    request.dryRun ? dryRunCreate(store.core, context, stored) : storeNew(store, context, stored),
  );
}

function fillName(core: StoreCore, object: JsonObject): void {
  const metadata = metadataIn(object);
  const { name, generateName: prefix } = metadata;
  if (!isSet(name) && typeof prefix === 'string' && prefix !== '')
    metadata['name'] = generateName(prefix, (below) => core.host.random(below));
}

/**
 * Prepares a decoded object for storage: system metadata, strategy, validation, validating admission. Returns the
 * object in the storage version, with the resourceVersion that the client sent. Throws the StatusError of a refusal.
 */
export function prepareNew(
  store: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  validate: ValidateCreate,
): MaybePromise<JsonObject> {
  const { core, strategy } = store;
  const metadata = metadataIn(object);
  fillSystemFields(metadata, core.host);
  settleNamespace(metadata, core.keys.namespaced ? context.namespace : '');
  if (strategy.countsGeneration) metadata['generation'] = 1;
  const seen = strategy.objectVersion === 'storage' ? core.versions.toHub(object, context.version) : object;
  return andThen(seen, (prepared) => {
    strategy.prepareForCreate?.(prepared, context);
    checkNew(store, context, prepared);
    strategy.canonicalize?.(prepared, context);
    return finishNew(store, context, prepared, validate);
  });
}

function checkNew(store: StrategyStore, context: ResourceContext, object: JsonObject): void {
  const { core, strategy } = store;
  const version = judgedVersion(store, context);
  refuse(version, object, strategy.validate?.(object, context) ?? []);
  if (strategy.validatesMetadata !== true) {
    const rules = { namespaced: core.keys.namespaced, name: strategy.nameRule };
    refuse(version, object, validateObjectMeta(metadataIn(object) as ObjectMetaFacts, rules, METADATA));
  }
  const key = keyOf(core, context, object);
  if (key.length * 3 > MAX_KEY_BYTES && utf8Length(key) > MAX_KEY_BYTES) {
    const room = MAX_KEY_BYTES - utf8Length(core.keys.prefix(context.namespace));
    refuse(version, object, [tooLong(METADATA.child('name'), undefined, room)]);
  }
  for (const warning of strategy.warningsOnCreate?.(object, context) ?? []) context.request.warn(warning);
}

/** The version whose kind a 422 names: the version of the objects that the strategy gets. */
export function judgedVersion({ core, strategy }: StrategyStore, context: ResourceContext): VersionDefinition {
  return strategy.objectVersion === 'storage' ? core.versions.hub : context.version;
}

/**
 * Throws a 422 if there are issues. The message has the kind of the version; if the version has no fixed type, the kind
 * in the object.
 */
export function refuse(version: VersionDefinition, object: JsonObject, issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  const named = version.unstructured === true ? claimedKind(object) : version;
  throw new StatusError(invalid({ group: named.group, kind: named.kind }, nameOf(object), issues));
}

function claimedKind({ apiVersion, kind }: JsonObject): { readonly group: string; readonly kind: string } {
  const parsed = parseGroupVersion(String(apiVersion ?? ''));
  return { group: parsed.ok ? parsed.value.group : '', kind: String(kind ?? '') };
}

function finishNew(
  store: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  validate: ValidateCreate,
): MaybePromise<JsonObject> {
  const { core, strategy } = store;
  const admitted = admitNew(store, context, object, validate);
  if (strategy.validateStored === undefined) return admitted;
  return andThen(admitted, (stored) => {
    refuse(core.versions.hub, stored, strategy.validateStored?.(stored, undefined, context) ?? []);
    return stored;
  });
}

/** Runs validating admission on the object in the version of the request. Returns the object in the storage version. */
function admitNew(
  { core, strategy }: StrategyStore,
  context: ResourceContext,
  object: JsonObject,
  validate: ValidateCreate,
): MaybePromise<JsonObject> {
  const { versions } = core;
  const { version } = context;
  if (versions.formOf(version) === undefined) return andThen(validate(object), () => object);
  if (strategy.objectVersion === 'request') return andThen(validate(object), () => versions.toHub(object, version));
  return andThen(versions.fromHub(cloneObject(object), version), (shown) => andThen(validate(shown), () => object));
}

async function storeNew(store: StrategyStore, context: ResourceContext, object: JsonObject): Promise<WriteAnswer> {
  const { core } = store;
  const version = parseVersion(String(metadataIn(object)['resourceVersion'] ?? ''));
  if (version.ok && version.revision !== 0) throw new StatusError(unknown(VERSION_SET));
  const key = keyOf(core, context, object);
  const value = encodeFitting(object);
  const result = await write(store, key, value, object);
  if (result.outcome === 'conflict') throw taken(core, context, object, result.current);
  core.noteWrite(result.revision);
  return answerWrite(core, context, { key, revision: result.revision, value }, true);
}

function write(
  { core, strategy }: StrategyStore,
  key: string,
  value: Uint8Array,
  object: JsonObject,
): Promise<WriteResult> {
  const options = writeOptions(strategy, object);
  const next = strategy.followCreate?.(object);
  if (next === undefined) return core.storage.create(key, value, options);
  return writeFollowed(core, key, value, { ...options, followedBy: encodeStored(next.object) }).finally(() =>
    next.settled(),
  );
}

/**
 * Writes both values of a create. A shared storage writes the second value in another commit. The current revision is
 * noted, so that the next request sees the second value, too.
 */
async function writeFollowed(
  core: StoreCore,
  key: string,
  value: Uint8Array,
  options: CreateOptions,
): Promise<WriteResult> {
  const result = await core.storage.create(key, value, options);
  if (result.outcome !== 'ok' || core.storage.embedded) return result;
  try {
    core.noteWrite(await core.storage.revision());
  } catch (caught) {
    // The object was created. Only its second value may be seen late.
    core.host.onTrouble(toError(caught));
  }
  return result;
}

/** Returns the storage options for the strategy's time to live. */
export function writeOptions(strategy: Strategy, object: JsonObject): { readonly ttlMs?: number } {
  const seconds = strategy.ttlSeconds?.(object) ?? 0;
  return seconds > 0 ? { ttlMs: seconds * 1000 } : NO_OPTIONS;
}

const NO_OPTIONS = {};

/** Makes the answer to an acknowledged write. */
export function answerWrite(
  core: StoreCore,
  context: ResourceContext,
  state: StoredState,
  created: boolean,
): MaybePromise<WriteAnswer> {
  const bytes = core.show(core.entryOfWrite(state), context.version);
  return isPromise(bytes) ? bytes.then((made) => ({ bytes: made, created })) : { bytes, created };
}

/** Answers a dry run with the object that would have been stored. Throws a 409 if the name is taken. */
async function dryRunCreate(core: StoreCore, context: ResourceContext, object: JsonObject): Promise<WriteAnswer> {
  const state = await core.readState(keyOf(core, context, object));
  if (state !== undefined) throw taken(core, context, object, state);
  return answerUnstored(core, context, object, true);
}

/** Makes the answer to a write that stored nothing. May modify the object. */
export function answerUnstored(
  core: StoreCore,
  context: ResourceContext,
  object: JsonObject,
  created: boolean,
): MaybePromise<WriteAnswer> {
  return andThen(core.versions.fromHub(object, context.version), (shown) => ({
    bytes: encodeUnstored(shown),
    created,
  }));
}

function taken(
  core: StoreCore,
  context: ResourceContext,
  object: JsonObject,
  current: StoredState | undefined,
): StatusError {
  const resource: GroupResource = core.resourceName(context);
  const name = nameOf(object);
  const status = isSet(metadataIn(object)['generateName'])
    ? generateNameConflict(resource, name, 1)
    : alreadyExists(resource, name);
  const terminating = current !== undefined && isSet(metadataIn(readStored(current))['deletionTimestamp']);
  return new StatusError(
    terminating ? { ...status, message: `object is being deleted: ${status.message ?? ''}` } : status,
  );
}

function keyOf(core: StoreCore, context: ResourceContext, object: JsonObject): string {
  return core.keys.key(context.namespace, nameOf(object));
}

function isSet(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
