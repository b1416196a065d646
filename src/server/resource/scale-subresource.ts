/**
 * The `scale` subresource: the replicas of an object as a Scale. Invariant: a write is an update of the parent object
 * under the strategy of its kind, and changes only its replicas.
 */
import { managedFieldsOf, setManagedFields } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import {
  parentEntriesOf,
  type ReplicasPaths,
  type ScaleEntries,
  type ScaleHandlerOptions,
  scaleEntriesOf,
} from '../../apimachinery/managed-fields/scale-handler.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { metadataOf } from '../../apimachinery/meta/meta.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonArray, JsonObject } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import { andThen } from '../../base/maybe-promise.ts';
import { parseObject } from '../registry/stored-object.ts';
import type { SubresourceDefinition } from './resource-definition.ts';
import type { ObjectBytes, ObjectChange, ResourceContext, ResourceStore, UpdateRequest } from './resource-store.ts';
import type { VersionDefinition } from './version-definition.ts';

/** The values of an object that its Scale shows. */
export interface ScaleValues {
  /** The wanted number of replicas; undefined if the object does not say. */
  readonly replicas: number | undefined;
  readonly currentReplicas: number;
  /** The label selector of the replicas as text; '' for none. */
  readonly selector: string;
}

/** The access to the replicas of a kind. Objects are in the version of the request, which is `context.version`. */
export interface ScaleAccess {
  /** The version that declares Scale. */
  readonly version: VersionDefinition;
  /** Reads the values of an object. Must not modify it. Throws the StatusError for values that cannot be shown. */
  read(object: JsonObject, context: ResourceContext): ScaleValues;
  /** Called on get for an object without replicas. Throws the StatusError; default: the Scale has none either. */
  refuseMissing?(context: ResourceContext): never;
  /**
   * Checks the Scale that a client has changed and sets its replicas and resourceVersion in the object, in place. The
   * replicas are `UNSET_REPLICAS` if the object had none and the client has not set any. Throws the StatusError for an
   * invalid Scale.
   */
  write(object: JsonObject, scale: JsonObject, context: ResourceContext): void;
  /** Returns where the versions of the resource have their replicas. Called for each write. */
  replicasPaths(context: ResourceContext): ReplicasPaths;
}

/** The replicas of the Scale that a change is applied to, if the object has none. */
export const UNSET_REPLICAS = -2147483648;

/** The metadata fields of a Scale, in order. */
const SHOWN = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;

/**
 * Returns the subresource `scale`, with get, update and patch. Opening it throws BugError if the parent lacks get or
 * update.
 */
export function scaleSubresource(access: ScaleAccess): SubresourceDefinition {
  return { name: 'scale', version: access.version, store: (parent) => scaleStore(parent, access) };
}

function scaleStore(parent: ResourceStore, access: ScaleAccess): ResourceStore {
  const get = parent.get?.bind(parent);
  const update = parent.update?.bind(parent);
  if (get === undefined || update === undefined) throw new BugError('scale needs a parent with get and update');
  return {
    get: (context, options) =>
      andThen(get(context, options), (bytes) => {
        const object = parseObject(bytes, context.name);
        const values = access.read(object, context);
        if (values.replicas === undefined) access.refuseMissing?.(context);
        return writeJsonBytes(scaleOf(object, values, access.version));
      }),
    update: (context, change, request) => {
      const asScale = (object: JsonObject): JsonObject => scaleOf(object, access.read(object, context), access.version);
      const shown = (bytes: ObjectBytes): ObjectBytes => writeJsonBytes(asScale(parseObject(bytes, context.name)));
      const updated = update(context, throughScale(change, access, context), validatingScale(request, asScale));
      return andThen(updated, (answer) => ({ ...answer, bytes: shown(answer.bytes) }));
    },
  };
}

/** Returns a change of the parent object that applies `change` to its Scale. */
function throughScale(change: ObjectChange, access: ScaleAccess, context: ResourceContext): ObjectChange {
  return {
    preconditions: change.preconditions,
    apply: (current) => {
      if (current === undefined) throw new BugError('an update without creation got no object');
      const values = access.read(current, context);
      const scale = scaleOf(current, values, access.version);
      if (values.replicas === undefined) scale['spec'] = { replicas: UNSET_REPLICAS };
      const owners: ScaleHandlerOptions = {
        parentEntries: managedFieldsOf(current),
        apiVersion: formatGroupVersion(context.version),
        paths: access.replicasPaths(context),
      };
      setManagedFields(scale, readable(scaleEntriesOf(owners)));
      return andThen(change.apply(scale), (changed) => {
        access.write(current, changed, context);
        setManagedFields(current, readable(parentEntriesOf(owners, managedFieldsOf(changed))));
        return current;
      });
    },
  };
}

/** Throws the StatusError 500 for stored entries that cannot be read, as the reference does. */
function readable(entries: ScaleEntries): JsonArray | undefined {
  if (entries.ok) return entries.entries;
  throw new StatusError(unknown(entries.message));
}

/** Admission validates the Scales of the objects. */
function validatingScale(request: UpdateRequest, asScale: (object: JsonObject) => JsonObject): UpdateRequest {
  return {
    ...request,
    forceAllowCreate: false,
    validateCreate: (object) => request.validateCreate(asScale(object)),
    validateUpdate: (object, old) => request.validateUpdate(asScale(object), asScale(old)),
  };
}

function scaleOf(object: JsonObject, values: ScaleValues, { group, version, kind }: VersionDefinition): JsonObject {
  const { replicas = 0, currentReplicas, selector } = values;
  const own = metadataOf(object) ?? {};
  const metadata: JsonObject = {};
  for (const name of SHOWN) if (own[name] !== undefined) metadata[name] = own[name];
  return {
    kind,
    apiVersion: `${group}/${version}`,
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: currentReplicas, ...(selector === '' ? {} : { selector }) },
  };
}
