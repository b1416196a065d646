/**
 * The field manager of a resource in one version: it updates `metadata.managedFields` on every write and executes
 * server-side apply. There is one field manager per resource, version and subresource. It keeps no state of objects.
 *
 * The order of its steps is that of the managers which the reference chains in `managedfields.NewDefaultFieldManager`:
 * version check, last-applied annotation, tracking from the first apply on, bound on update managers, identity,
 * timestamps, stripped metadata, merge.
 */
import { BugError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Converter } from '../apply/converter.ts';
import type { Managers, VersionedSet } from '../apply/managers.ts';
import type { MergeType } from '../apply/merge-type.ts';
import { formatTypedIssues, type TypedIssue } from '../apply/typed-issue.ts';
import { asTyped, type TypedResult, type TypedValue } from '../apply/typed-value.ts';
import { type ApplyOutcome as MergeOutcome, Updater } from '../apply/updater.ts';
import { union } from '../field-set/set-algebra.ts';
import type { SetFilter } from '../field-set/set-filter.ts';
import { formatGroupVersion, formatGvk, type GroupVersionKind, gvkOf } from '../meta/gvk.ts';
import { uidOf } from '../meta/meta.ts';
import { textAt } from '../meta/object-fields.ts';
import { type Status, StatusError } from '../status/status.ts';
import { badRequest, unknown } from '../status/status-catalogue.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { conflictStatus, invalidConfigStatus } from './conflict-status.ts';
import { createdFields } from './created-fields.ts';
import { type DecodedManaged, decodeManagedFields, isResetManagedFields } from './decode-managed-fields.ts';
import { encodeManagedFields } from './encode-managed-fields.ts';
import { conflictsBeyondLastApplied, KUBECTL_MANAGER, withLastApplied } from './last-applied.ts';
import {
  type EntryDetails,
  type Managed,
  type ManagerIdentity,
  type ManagerOperation,
  managerIdentifier,
  NOTHING_MANAGED,
  withDetails,
} from './managed.ts';
import { managedFieldsOf, setManagedFields, withManagedFields } from './object-managed-fields.ts';
import { SharedEntries } from './shared-entries.ts';
import { stripMeta } from './strip-meta.ts';

/** The versions of a resource, as the field manager needs them. */
export interface ResourceVersions {
  /**
   * Returns the merge type of a version; undefined for a version that is not served. Called several times per request,
   * so it must be a cheap lookup.
   */
  typeAt(apiVersion: string): MergeType | undefined;
  /**
   * Returns an object in another version. The argument is in the field manager's version, or is the result of an
   * earlier conversion; it must not be modified. Called only if managers of another version exist. A failure is thrown
   * or rejected: an update then drops managedFields, and an apply fails.
   */
  convert(object: JsonObject, apiVersion: string): MaybePromise<JsonObject>;
}

export interface FieldManagerOptions {
  /**
   * The version and kind of the objects that requests carry; for a subresource with a kind of its own (Scale) that
   * kind.
   */
  readonly kind: GroupVersionKind;
  /** Default: the main resource. */
  readonly subresource?: string;
  readonly versions: ResourceVersions;
  /** By API version: the reset fields of the strategy, as an exclude or include filter. Default: none are reset. */
  readonly resetFields?: ReadonlyMap<string, SetFilter>;
  /**
   * True if stored objects and those of updates always have the merge type, because they were decoded into it: built-in
   * kinds. They are then not validated again. Default false. Configurations are always validated.
   */
  readonly decodedObjects?: boolean;
  /**
   * The object before a create: the zero value of the kind with `apiVersion` and `kind`, in the form in which the kind
   * is written. A create does not own the fields that it leaves as they are here. Never modified.
   */
  newObject(): JsonObject;
}

export interface UpdateContext {
  /** From `fieldManager` or the User-Agent: see `managerOrUserAgent`. Empty counts as `unknown`. */
  readonly manager: string;
  /** The time of the write: RFC 3339 in UTC, in seconds. */
  readonly now: string;
}

export interface ApplyContext extends UpdateContext {
  readonly force: boolean;
}

export type ApplyOutcome =
  | {
      readonly ok: true;
      /**
       * In the version of the request, with managedFields. It shares structure with the live object and the
       * configuration. It is neither normalized nor defaulted: emptied objects and lists are null, as
       * structured-merge-diff leaves them.
       */
      readonly object: JsonObject;
      /** False if the object differs from the live one in managedFields at most. */
      readonly changed: boolean;
    }
  | { readonly ok: false; readonly status: Status };

/** The key of the writer in Managers while its fields are computed. No entry has this key. */
const CURRENT_OPERATION = 'current-operation';
const BEFORE_FIRST_APPLY = 'before-first-apply';

export class FieldManager {
  readonly #kind: GroupVersionKind;
  readonly #apiVersion: string;
  readonly #subresource: string;
  readonly #type: MergeType;
  readonly #updater: Updater;
  readonly #newObject: () => JsonObject;
  readonly #decodedObjects: boolean;
  /** The root fields that are reset; undefined if other fields are, too. */
  readonly #resetAtRoot: readonly string[] | undefined;
  readonly #shared = new SharedEntries();

  constructor(options: FieldManagerOptions) {
    const { kind, subresource = '', versions, resetFields } = options;
    const apiVersion = formatGroupVersion(kind);
    const type = versions.typeAt(apiVersion);
    if (type === undefined) throw new BugError(`no merge type of ${formatGvk(kind)}`);
    this.#kind = kind;
    this.#apiVersion = apiVersion;
    this.#subresource = subresource;
    this.#type = type;
    this.#updater = new Updater({
      converter: converterOf(versions),
      ...(resetFields === undefined ? {} : { filters: resetFields }),
    });
    this.#newObject = () => options.newObject();
    this.#decodedObjects = options.decodedObjects ?? false;
    this.#resetAtRoot = rootNames(resetFields?.get(apiVersion));
  }

  /**
   * Records a create, update or patch in `next.metadata.managedFields`, in place. Called with the object as it will be
   * stored, before mutating admission; `live` is the stored object, undefined on create. Both are in the version of the
   * request.
   *
   * Returns undefined, or the reason why the fields could not be tracked. The object is then written without
   * managedFields, as in the reference.
   */
  update(live: JsonObject | undefined, next: JsonObject, context: UpdateContext): MaybePromise<string | undefined> {
    if (live === undefined && this.#resetAtRoot !== undefined && managedFieldsOf(next) === undefined)
      return this.#create(next, this.#resetAtRoot, context);
    const before = live ?? this.#newObject();
    const managed = this.#managedBefore(before, next);
    setManagedFields(next, undefined);
    // An object that exists and has no managers is not tracked before its first apply.
    if (managed.managers.size === 0 && uidOf(before) !== '') return undefined;
    const finish = (updated: Managed | Failure): string | undefined => {
      if ('message' in updated) return updated.message;
      setManagedFields(next, encodeManagedFields(updated));
      return undefined;
    };
    return attempt(() => andThen(this.#update(before, next, managed, context), finish));
  }

  /**
   * Applies a configuration to the live object, or to a new one if `live` is undefined. Modifies none of its arguments.
   * Failures of conversions are thrown or rejected; every other failure is an outcome.
   */
  apply(live: JsonObject | undefined, config: JsonObject, context: ApplyContext): MaybePromise<ApplyOutcome> {
    const [apiVersion, kind] = [textAt(config, 'apiVersion'), textAt(config, 'kind')];
    if (apiVersion !== this.#apiVersion || kind !== this.#kind.kind)
      return refused(badRequest(`invalid object type: ${formatGvk(gvkOf(apiVersion, kind))}`));
    if (Array.isArray(managedFieldsOf(config))) return refused(badRequest('metadata.managedFields must be nil'));
    const before = live ?? this.#newObject();
    const decoded = decodeManagedFields(managedFieldsOf(before), 'stored');
    if (!decoded.ok) return refused(unknown(`failed to decode managed fields: ${decoded.message}`));
    const object = withManagedFields(before, undefined);
    const typedConfig = asTyped(config, this.#type);
    if (!typedConfig.ok) return refused(invalidConfigStatus(this.#kind, config, typedConfig.issues));
    const typedLive = this.#asTyped(object);
    if (!typedLive.ok) return refused(unknown(cannotType('failed to create typed live object', typedLive.issues)));
    const parts = { live: typedLive.typed, config: typedConfig.typed };
    return andThen(this.#trackedFrom(object, decoded.managed, context.now), (managed) =>
      'message' in managed ? refused(unknown(managed.message)) : this.#apply(parts, managed, context),
    );
  }

  /** A create without managers has one entry, whose fields are found in one walk. */
  #create(next: JsonObject, reset: readonly string[], context: UpdateContext): string | undefined {
    const typed = this.#asTyped(next);
    if (!typed.ok) return cannotType('failed to convert new object to smd typed', typed.issues);
    const created = createdFields(next, { zero: this.#newObject(), type: this.#type, reset });
    if (created === undefined) return undefined;
    const { fields, isShared } = created;
    const make = (): JsonObject => this.#createdEntry(fields, context);
    setManagedFields(next, isShared ? this.#shared.of(fields, context, make) : [make()]);
    return undefined;
  }

  #createdEntry(fieldsV1: JsonObject, { manager, now }: UpdateContext): JsonObject {
    const entry: JsonObject = {
      manager: manager === '' ? 'unknown' : manager,
      operation: 'Update',
      apiVersion: this.#apiVersion,
      time: now,
      fieldsType: 'FieldsV1',
      fieldsV1,
    };
    if (this.#subresource !== '') entry['subresource'] = this.#subresource;
    return entry;
  }

  /**
   * The managers before an update: those of the request, if it has any that can be read, otherwise those of the stored
   * object.
   */
  #managedBefore(live: JsonObject, next: JsonObject): Managed {
    const given = managedFieldsOf(next);
    if (this.#subresource === '') {
      if (isResetManagedFields(given)) return NOTHING_MANAGED;
      const decoded = decodeManagedFields(given, 'request');
      if (decoded.ok && decoded.managed.managers.size > 0) return decoded.managed;
    }
    return managedOrNothing(decodeManagedFields(managedFieldsOf(live), 'stored'));
  }

  /**
   * Returns the managers before an apply. If there are none, the manager BEFORE_FIRST_APPLY owns all fields of the
   * object.
   */
  #trackedFrom(live: JsonObject, managed: Managed, now: string): MaybePromise<Managed | Failure> {
    if (managed.managers.size > 0) return managed;
    return this.#update(this.#newObject(), live, managed, { manager: BEFORE_FIRST_APPLY, now });
  }

  #update(
    live: JsonObject,
    next: JsonObject,
    managed: Managed,
    { manager, now }: UpdateContext,
  ): MaybePromise<Managed | Failure> {
    const typedNext = this.#asTyped(next);
    if (!typedNext.ok) return { message: cannotType('failed to convert new object to smd typed', typedNext.issues) };
    const typedLive = this.#asTyped(withManagedFields(live, undefined));
    if (!typedLive.ok) return { message: cannotType('failed to convert live object to smd typed', typedLive.issues) };
    const request = {
      live: typedLive.typed,
      next: typedNext.typed,
      apiVersion: this.#apiVersion,
      managers: managed.managers,
      manager: CURRENT_OPERATION,
    };
    const identity = this.#identity(manager, 'Update');
    return andThen(this.#updater.update(request), (managers) =>
      capUpdateManagers(recordUpdate(managers, managed.details, identity, now)),
    );
  }

  #apply(
    parts: { readonly live: TypedValue; readonly config: TypedValue },
    managed: Managed,
    { manager, force, now }: ApplyContext,
  ): MaybePromise<ApplyOutcome> {
    const identity = this.#identity(manager, 'Apply');
    const identifier = managerIdentifier(identity);
    const merge = (isForced: boolean): MaybePromise<MergeOutcome> =>
      this.#updater.apply({
        ...parts,
        apiVersion: this.#apiVersion,
        managers: managed.managers,
        manager: identifier,
        force: isForced,
      });
    const finish = (outcome: MergeOutcome): ApplyOutcome => {
      if (outcome.kind === 'conflicts') return { ok: false, status: conflictStatus(outcome.conflicts, managed) };
      return this.#applied(outcome, parts, { managed, identity, now });
    };
    return andThen(merge(force), (outcome) => {
      if (outcome.kind !== 'conflicts' || manager !== KUBECTL_MANAGER) return finish(outcome);
      const conflicts = conflictsBeyondLastApplied(outcome.conflicts, parts.live, this.#apiVersion);
      return conflicts.length > 0 ? finish({ kind: 'conflicts', conflicts }) : andThen(merge(true), finish);
    });
  }

  #applied(
    { object, managers }: Extract<MergeOutcome, { kind: 'applied' }>,
    { live, config }: { readonly live: TypedValue; readonly config: TypedValue },
    { managed, identity, now }: { readonly managed: Managed; readonly identity: ManagerIdentity; readonly now: string },
  ): ApplyOutcome {
    const identifier = managerIdentifier(identity);
    stripMeta(managers, identifier, managed.managers.get(identifier));
    const known = managed.details.get(identifier);
    // The time is that of the last apply that changed the object.
    const time = object === undefined ? known?.time : now;
    const updated = withDetails({ managers, details: managed.details }, identifier, { ...known, identity, time });
    const merged = (object ?? live).value;
    if (!isJsonObject(merged)) return { ok: false, status: unknown('the configuration leaves nothing of the object') };
    const annotated =
      identity.manager === KUBECTL_MANAGER ? withLastApplied(merged, config.value as JsonObject) : merged;
    const result = withManagedFields(annotated, encodeManagedFields(updated));
    return { ok: true, object: result, changed: annotated !== live.value };
  }

  /** Returns a stored object, or the object of an update, with its type. It may have duplicate items in lists. */
  #asTyped(value: JsonObject): TypedResult {
    if (this.#decodedObjects) return { ok: true, typed: { value, type: this.#type } };
    return asTyped(value, this.#type, { allowDuplicates: true });
  }

  #identity(manager: string, operation: ManagerOperation): ManagerIdentity {
    const name = manager === '' ? 'unknown' : manager;
    return { manager: name, operation, apiVersion: this.#apiVersion, subresource: this.#subresource };
  }
}

function rootNames(filter: SetFilter | undefined): readonly string[] | undefined {
  if (filter === undefined) return [];
  const { excluded } = filter;
  if (excluded?.elements.every((name, i) => typeof name === 'string' && excluded.children[i]?.isLeaf) !== true)
    return undefined;
  return excluded.elements as readonly string[];
}

interface Failure {
  readonly message: string;
}

function refused(status: Status): ApplyOutcome {
  return { ok: false, status };
}

function cannotType(what: string, issues: readonly TypedIssue[]): string {
  return `${what}: ${formatTypedIssues(issues)}`;
}

/** Returns the managed fields; none if the entries cannot be decoded. */
function managedOrNothing(decoded: DecodedManaged): Managed {
  return decoded.ok ? decoded.managed : NOTHING_MANAGED;
}

/**
 * Runs an update. Returns the message of an error that it throws or rejects with: the write continues without
 * managedFields.
 */
function attempt(run: () => MaybePromise<string | undefined>): MaybePromise<string | undefined> {
  const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  try {
    const result = run();
    return isPromise(result) ? result.catch(told) : result;
  } catch (error) {
    return told(error);
  }
}

/** Gives the fields of the current operation to its manager, beside those it had, with the time of the write. */
function recordUpdate(
  managers: Managers,
  details: ReadonlyMap<string, EntryDetails>,
  identity: ManagerIdentity,
  now: string,
): Managed {
  stripMeta(managers, CURRENT_OPERATION, undefined);
  const written = managers.get(CURRENT_OPERATION);
  if (written === undefined) return { managers, details };
  managers.delete(CURRENT_OPERATION);
  const identifier = managerIdentifier(identity);
  const previous = managers.get(identifier);
  managers.set(identifier, previous === undefined ? written : joined(written, previous));
  return withDetails({ managers, details }, identifier, { ...details.get(identifier), identity, time: now });
}

function joined(written: VersionedSet, previous: VersionedSet): VersionedSet {
  return { ...written, set: union(previous.set, written.set) };
}

/**
 * Returns a converter that validates its results against the type of their version. As in the reference, duplicate
 * items in lists are an error there.
 */
function converterOf(versions: ResourceVersions): Converter {
  return {
    typeAt: (apiVersion) => versions.typeAt(apiVersion),
    convert: ({ value }, apiVersion, purpose) => {
      if (!isJsonObject(value)) throw new StatusError(unknown('failed to convert a value that is not an object'));
      return andThen(versions.convert(value, apiVersion), (converted) => {
        const typed = asTyped(converted, versions.typeAt(apiVersion) as MergeType);
        if (typed.ok) return typed.typed;
        const problem = formatTypedIssues(typed.issues);
        throw new StatusError(unknown(purpose === '' ? problem : `${purpose}: ${problem}`));
      });
    },
  };
}
