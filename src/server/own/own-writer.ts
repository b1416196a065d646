/**
 * The writer for the server's own objects, which bootstrap, allocators and loops inside a server create, change and
 * delete.
 *
 * A write goes through the create, update or delete of the registry store, as a client's does: server-owned metadata,
 * the strategy, its validation, preconditions, finalizers. Three things differ:
 *
 * - Admission does not run, and neither does a store that wraps the registry store (allocation, escalation checks).
 * - The user is `system:apiserver`, a member of `system:masters`, unless the write belongs to a request.
 * - The cache of the resource is used if it has started, and never started.
 *
 * Objects are in the storage version. A refusal rejects with a StatusError: 404, 409 and 422 as a client would get
 * them.
 */
import {
  cloneObject,
  managedFieldsOf,
  setManagedFields,
} from '../../apimachinery/managed-fields/object-managed-fields.ts';
import {
  DEFAULT_DELETE_OPTIONS,
  type DeleteOptions,
  type Preconditions,
} from '../../apimachinery/meta/delete-options.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/meta/list-options.ts';
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { UncachedStore } from '../registry/store.ts';
import type { StoredResource } from '../resource/open-resource.ts';
import type { RequestContext } from '../resource/request-context.ts';
import type {
  DeleteAnswer,
  ObjectBytes,
  ObjectChange,
  ResourceContext,
  ResourceStore,
  UpdateRequest,
} from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import { ownContext } from './own-context.ts';
import { OWN_FIELD_MANAGER, OwnFields } from './own-fields.ts';

export interface OwnWriterOptions {
  /** The strategy of creates and updates. Updates never create, whatever it says. Default: the resource's own. */
  readonly strategy?: Strategy;
  /**
   * Stores the status that `create` and `replace` are given, although the strategy clears or keeps it: the server may
   * create an object together with its status, where a client needs a second request. Default false.
   */
  readonly setsStatus?: boolean;
  /** The subresource under which `update` counts in managedFields. Default: the resource itself. */
  readonly tracksUpdatesAs?: string;
}

/** Identifies an object. `namespace` is '' for cluster-scoped resources. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export interface OwnWriteOptions {
  /** The request that the write belongs to: its user, its time, its deadline. Default: the server itself, now. */
  readonly request?: RequestContext;
  /** Checks everything and stores nothing. Default false. */
  readonly dryRun?: boolean;
  /** A write is refused with a 409 unless these preconditions hold for the stored object. Default none. */
  readonly preconditions?: Preconditions;
  /**
   * The manager's name in managedFields. Null leaves managedFields unchanged, for writes whose fields get no owner in
   * the reference. Default `kube-apiserver`.
   */
  readonly fieldManager?: string | null;
}

export interface OwnCreateOptions extends OwnWriteOptions {
  /**
   * The object as a client sends it. Fields that only the created object has, such as allocated addresses, get no
   * owner. Default: the object.
   */
  readonly sent?: JsonObject;
  /** The manager that applied the status, for writers that set it. Default: the status has no owner. */
  readonly statusManager?: string;
}

const ADMITTED = (): undefined => undefined;

export class OwnWriter {
  readonly #resource: StoredResource;
  readonly #store: UncachedStore;
  readonly #fields: OwnFields;
  readonly #tracksUpdatesAs: string;

  constructor(resource: StoredResource, options: OwnWriterOptions = {}) {
    const { strategy = resource.definition.strategy, setsStatus = false, tracksUpdatesAs = '' } = options;
    this.#resource = resource;
    this.#fields = new OwnFields(resource);
    this.#tracksUpdatesAs = tracksUpdatesAs;
    const rules = setsStatus ? settingStatus(strategy) : strategy;
    this.#store = resource.registry.uncached({ ...rules, allowCreateOnUpdate: false });
  }

  /** Reads the object from storage. Returns a copy that belongs to the caller; undefined if there is no such object. */
  read(target: ObjectName): Promise<JsonObject | undefined> {
    return this.#store.read(this.#context('get', target));
  }

  /**
   * Creates the object under `metadata.name` or `metadata.generateName`, in `metadata.namespace`. Works on a copy,
   * which is normalized and defaulted as a request body is. 409 AlreadyExists if the name is taken.
   */
  async create(object: JsonObject, options: OwnCreateOptions = {}): Promise<ObjectBytes> {
    const body = this.#decoded(object);
    const context = this.#context('create', { namespace: namespaceOf(body), name: '' }, options.request);
    const { dryRun = false } = options;
    await this.#trackCreate(object, body, options);
    const answer = await this.#store.create(context, body, {
      dryRun,
      validate: ADMITTED,
    });
    return answer.bytes;
  }

  /**
   * Replaces the stored object by this one, as a PUT does. Works on a copy, which is normalized and defaulted as a
   * request body is. 409 Conflict if it has a resourceVersion that is not the stored one; 404 if there is nothing to
   * replace.
   */
  async replace(object: JsonObject, options: OwnWriteOptions = {}): Promise<ObjectBytes> {
    const body = this.#decoded(object);
    const target = { namespace: namespaceOf(body), name: nameOf(body) };
    const apply: ObjectChange['apply'] = (current) => this.#track('', current, cloneObject(body), options);
    return this.#update(this.#store.update, target, apply, options);
  }

  /**
   * Reads the stored object, lets `change` modify it in place, and writes it over the state that was read. Repeats that
   * while other writers are quicker, so `change` may run several times; only `preconditions` make another writer's
   * change a 409. 404 if there is no such object. Rejects with the error that `change` throws. The object must stay in
   * the form of its type.
   */
  update(
    target: ObjectName,
    change: (object: JsonObject) => void,
    options: OwnWriteOptions = {},
  ): Promise<ObjectBytes> {
    return this.#update(this.#store.update, target, this.#changing(change, this.#tracksUpdatesAs, options), options);
  }

  /**
   * Records in the managedFields of `next`, in place, that `update` changed `live` to it, and returns it. For a state
   * that a strategy stores itself (see Strategy.followCreate).
   */
  track(live: JsonObject, next: JsonObject): MaybePromise<JsonObject> {
    return this.#track(this.#tracksUpdatesAs, live, next, {});
  }

  /**
   * As `update`, through the `status` subresource and its strategy. Starts the cache. Rejects with BugError if the
   * resource has no such subresource.
   */
  async updateStatus(
    target: ObjectName,
    change: (object: JsonObject) => void,
    options: OwnWriteOptions = {},
  ): Promise<ObjectBytes> {
    return this.#update(this.#statusUpdate(), target, this.#changing(change, 'status', options), options);
  }

  /**
   * Applies a configuration of the status by force, as server-side apply does, through the `status` subresource. The
   * configuration needs no metadata. Starts the cache. 404 if there is no such object.
   */
  async applyStatus(
    target: ObjectName,
    status: JsonObject,
    options: OwnWriteOptions & { readonly fieldManager: string },
  ): Promise<ObjectBytes> {
    const { group, version, kind } = this.#resource.definition.storageVersion;
    const config = { apiVersion: formatGroupVersion({ group, version }), kind, status };
    const write = { manager: options.fieldManager, subresource: 'status' };
    const apply: ObjectChange['apply'] = (current) => this.#fields.apply({ ...write, live: current }, config);
    return this.#update(this.#statusUpdate(), target, apply, options);
  }

  /** Deletes the object, or marks it if finalizers or a grace period hold it. 404, and 409 for `preconditions`. */
  async delete(
    target: ObjectName,
    options: Partial<DeleteOptions> = {},
    request?: RequestContext,
  ): Promise<DeleteAnswer> {
    const all = { ...DEFAULT_DELETE_OPTIONS, ...options };
    return this.#store.delete(this.#context('delete', target, request), { options: all, validate: ADMITTED });
  }

  /** Deletes the object if it exists and, given a uid, has that uid. */
  async deleteIfPresent(target: ObjectName, uid?: string): Promise<void> {
    const preconditions = uid === undefined ? undefined : { uid, resourceVersion: undefined };
    try {
      await this.delete(target, { preconditions });
    } catch (error) {
      const isAnother = uid !== undefined && isConflict(error);
      if (!isNotFound(error) && !isAnother) throw error;
    }
  }

  /** Deletes every object of the resource, or marks it, one after the other. Starts the cache. Stops at a failure. */
  async deleteAll(): Promise<void> {
    const context = this.#context('deletecollection', { namespace: '', name: '' });
    const request = { list: DEFAULT_LIST_OPTIONS, options: DEFAULT_DELETE_OPTIONS, validate: ADMITTED };
    await this.#resource.registry.deleteCollection(context, request);
  }

  async #update(
    update: NonNullable<ResourceStore['update']>,
    target: ObjectName,
    apply: ObjectChange['apply'],
    { request, dryRun = false, preconditions }: OwnWriteOptions,
  ): Promise<ObjectBytes> {
    const context = this.#context('update', target, request);
    const unadmitted: UpdateRequest = {
      dryRun,
      forceAllowCreate: false,
      validateCreate: ADMITTED,
      validateUpdate: ADMITTED,
    };
    return (await update(context, { apply, preconditions }, unadmitted)).bytes;
  }

  #statusUpdate(): NonNullable<ResourceStore['update']> {
    const { definition, subresources } = this.#resource;
    const store = subresources.get('status')?.store;
    const update = store?.update?.bind(store);
    if (update === undefined) throw new BugError(`${definition.plural} have no status to write`);
    return update;
  }

  #changing(
    change: (object: JsonObject) => void,
    subresource: string,
    options: OwnWriteOptions,
  ): ObjectChange['apply'] {
    return (current) => {
      if (current === undefined) throw new BugError('an update that never creates got no object');
      const before = options.fieldManager === null ? current : cloneObject(current);
      change(current);
      return this.#track(subresource, before, current, options);
    };
  }

  async #trackCreate(object: JsonObject, body: JsonObject, options: OwnCreateOptions): Promise<void> {
    const { sent, statusManager } = options;
    const tracked = sent === undefined ? body : this.#decoded(sent);
    await this.#track('', undefined, tracked, options);
    const entries = managedFieldsOf(tracked);
    if (tracked !== body && Array.isArray(entries)) setManagedFields(body, entries);
    const { status } = object;
    if (statusManager !== undefined && isJsonObject(status))
      await this.#fields.applyStatus(body, statusManager, status);
  }

  /** Records a write in the managedFields of `next`, in place, and returns it. */
  #track(
    subresource: string,
    live: JsonObject | undefined,
    next: JsonObject,
    { fieldManager = OWN_FIELD_MANAGER }: OwnWriteOptions,
  ): MaybePromise<JsonObject> {
    return fieldManager === null ? next : this.#fields.update({ manager: fieldManager, subresource, live }, next);
  }

  #context(verb: string, { namespace, name }: ObjectName, request?: RequestContext): ResourceContext {
    const { definition, host } = this.#resource;
    const version = definition.storageVersion;
    return request === undefined
      ? ownContext(host.clock, verb, { version, namespace, name })
      : { request, version, namespace, name };
  }

  #decoded(object: JsonObject): JsonObject {
    const version = this.#resource.definition.storageVersion;
    const normalized = version.normalize(cloneObject(object));
    if (!normalized.ok) throw new BugError(`an own object is not a valid ${version.kind}: ${normalized.message}`);
    version.setDefaults?.(normalized.object);
    return normalized.object;
  }
}

/** Returns the strategy, except that it neither clears nor restores a status that is set. */
function settingStatus(strategy: Strategy): Strategy {
  const keepStatus = (object: JsonObject, prepare: () => void): void => {
    const { status } = object;
    prepare();
    if (status !== undefined) object['status'] = status;
  };
  return {
    ...strategy,
    prepareForCreate: (object, context) => keepStatus(object, () => strategy.prepareForCreate?.(object, context)),
    prepareForUpdate: (object, old, context) =>
      keepStatus(object, () => strategy.prepareForUpdate?.(object, old, context)),
  };
}
