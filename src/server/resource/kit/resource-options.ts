/**
 * The options of `defineResource`. `T` is the type of an object's fields besides `apiVersion`, `kind` and `metadata`:
 * `{ spec: ...; status?: ... }`.
 *
 * Order of a write. The body is decoded, pruned and defaulted by the schema of its version, `default` runs, then
 * mutating admission. The store fills in the system metadata and calls `mutate`. The schema and its rules validate the
 * object. If they find nothing, the refinements of the schema library and `validate` run, then validating admission.
 * Afterwards the object is stored. An update that loses a race with another writer is repeated on the new state, so
 * hooks may run several times for one request.
 *
 * Hooks get objects in the hub version, which is `version` of the options, whatever version the request has.
 */
import type { ResourceScope } from '../../../apimachinery/meta/gvk.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { NameRule } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { ReadOnlyRows } from '../../rows/rows.ts';
import type { JsonPathColumn } from '../json-path-columns.ts';
import type { RegistryHost } from '../registry-host.ts';
import type { SubresourceDefinition } from '../resource-definition.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { ResourceAction } from './action.ts';
import type { HookContext } from './hook-context.ts';
import type { DraftIdentity, ObjectIdentity } from './resource-object.ts';
import type { SchemaSource } from './schema-source.ts';
import type { ResourceStream } from './stream.ts';

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A column of `kubectl get` by JSONPath. */
export type ResourceColumn = Pick<JsonPathColumn, 'name' | 'jsonPath'> & Partial<JsonPathColumn>;

/** Returns the value of a cell; undefined leaves it empty. Must not modify the object. Called with valid objects. */
export type CellValue<T extends object> = (object: ObjectIdentity & T, now: number) => JsonValue | undefined;

export interface FunctionColumn<T extends object> {
  readonly value: CellValue<T>;
  /** As in OpenAPI: `string`, `integer`, `number`, `boolean`, `date`. Default `string`. */
  readonly type?: string;
  readonly description?: string;
  /** Whether the column is shown only by `kubectl get -o wide`. Default false. */
  readonly wide?: boolean;
}

/** Columns by header, in order. */
export type FunctionColumns<T extends object> = { readonly [header: string]: CellValue<T> | FunctionColumn<T> };

// ── Subresources and versions ────────────────────────────────────────────────────────────────────────────────────────

/** Where an object has its replicas, as JSON paths below `.spec` and `.status`, as in a CustomResourceDefinition. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The path of the label selector as text. A HorizontalPodAutoscaler needs it. Default: no selector. */
  readonly labelSelectorPath?: string;
}

/**
 * Another served version. Both functions get a copy of the object of their own, which they may change and return, and
 * must keep `metadata`. They must accept objects with absent fields, because server-side apply converts parts of
 * objects. A function that throws fails the request; other objects of a list are not affected.
 */
export interface SpokeVersion {
  readonly version: string;
  readonly spec?: SchemaSource;
  readonly status?: SchemaSource;
  /** The whole schema, instead of `spec` and `status`. */
  readonly schema?: JsonObject;
  /** Converts from this version to the hub. `apiVersion` and `kind` need not be set. */
  toHub(object: JsonObject): JsonObject;
  /** Converts from the hub to this version. `toHub(fromHub(x))` must equal `x`: see `roundTripProblems`. */
  fromHub(object: JsonObject): JsonObject;
  /** False: objects of the version may still be stored, but no request is served in it. Default true. */
  readonly served?: boolean;
  /** True, or the text of the warning that every request to the version gets. Default false. */
  readonly deprecated?: boolean | string;
  /** Default: the columns of the hub that are JSONPaths, or the age. */
  readonly columns?: readonly ResourceColumn[];
  /** Default none. */
  readonly selectableFields?: readonly string[];
}

// ── Options ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ResourceNamesOptions {
  readonly group: string;
  /** The hub: the version that is stored, and that hooks see. */
  readonly version: string;
  readonly kind: string;
  /** The text of `kubectl explain` for the kind. Default: that of the schema. */
  readonly description?: string;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** `kubectl get all` shows the resources of the category `all`. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: ResourceScope;
  /** Default: DNS subdomains. */
  readonly nameRule?: NameRule;
}

/** The hooks of a resource. All are optional. See the head of this file for their order. */
export interface ResourceHooks<T extends object> {
  /**
   * Fills in defaults that the schema cannot express, in place. Called on the body of a create, update or patch after
   * the defaults of the schema and before mutating admission, also on objects from storage. It must be idempotent, must
   * not depend on anything but the object, and must accept objects that the schema would refuse. For other versions
   * than the hub it is called when the object is converted.
   */
  default?(object: DraftIdentity & T): void;
  /**
   * Changes the object before it is validated, in place: fields that clients may not set or that depend on the user.
   * `old` is the stored object, undefined on a create, and must not be changed. Called on writes of the resource, not
   * of its status. The object may violate the schema.
   */
  mutate?(object: DraftIdentity & T, old: (ObjectIdentity & T) | undefined, context: HookContext): void;
  /**
   * Returns issues that the schema cannot express; any issue refuses the write with a 422. Called on every create and
   * update, of the status too, with an object that the schema accepts. `old` is the stored object, undefined on a
   * create. Must change neither. To refuse for another reason, throw a StatusError.
   */
  validate?(
    object: ObjectIdentity & T,
    old: (ObjectIdentity & T) | undefined,
    context: HookContext,
  ): MaybePromise<readonly FieldIssue[]>;
  /**
   * Returns texts that kubectl prints as warnings. Called on create and update of the resource, with a valid object.
   */
  warnings?(object: ObjectIdentity & T, old: (ObjectIdentity & T) | undefined, context: HookContext): readonly string[];
  /**
   * Called on every delete with the stored object, before anything is deleted, and again if the attempt is repeated.
   * Returns issues that refuse the delete with a 422, or throws a StatusError. Must not change the object.
   */
  beforeDelete?(object: ObjectIdentity & T, context: HookContext): MaybePromise<readonly FieldIssue[] | undefined>;
  /**
   * Changes what clients see, per request: get, list, watch, and the object that a write answers with. Gets a copy,
   * which it may change and return. The stored object stays as it is. Selectors, and deleted objects in watches, see
   * what is stored too. Costs a parse of every object that is read, and watches no longer share their events.
   */
  read?(object: DraftIdentity & T, context: HookContext): MaybePromise<DraftIdentity & T>;
}

/** The schemas of the bodies of actions, by the name of the action. */
export type ActionBodies = { readonly [action: string]: SchemaSource };

/** Options that depend on the type of the objects. */
export interface TypedResourceOptions<T extends object, Bodies extends ActionBodies> extends ResourceHooks<T> {
  /** Columns after the name: by JSONPath, or functions by header. Default: the age. */
  readonly columns?: readonly ResourceColumn[] | FunctionColumns<T>;
  /** Operations on one object: `POST .../<plural>/<name>/<action>`, by name. */
  readonly actions?: { readonly [Name in keyof Bodies]: ResourceAction<NoInfer<ObjectIdentity & T>, Bodies[Name]> };
  /** WebSockets on one object: `GET .../<plural>/<name>/<stream>`, by name. */
  readonly streams?: { readonly [name: string]: ResourceStream<ObjectIdentity & T> };
}

/** `T` is the type of the fields besides `apiVersion`, `kind` and `metadata`: usually `{ spec: ...; status?: ... }`. */
export interface ResourceOptions<
  T extends object,
  Spec extends SchemaSource = SchemaSource,
  Status extends SchemaSource = SchemaSource,
  Bodies extends ActionBodies = ActionBodies,
> extends ResourceNamesOptions,
    TypedResourceOptions<T, Bodies> {
  /**
   * The structural schema (OpenAPI v3) of the object, as in a CustomResourceDefinition: pruning, defaults, validation,
   * CEL rules and `kubectl explain` come from it. `apiVersion`, `kind` and `metadata` need not be listed. `spec` and
   * `status` may be given instead.
   */
  readonly schema?: JsonObject;
  /**
   * The schema of `spec`. An object must have a spec if the schema has required fields or rules; otherwise an absent
   * spec becomes `{}`.
   */
  readonly spec?: Spec | SchemaSource;
  /** The schema of `status`, which is optional in objects. The subresource `status` exists if it is given. */
  readonly status?: Status | SchemaSource;
  /** Paths that field selectors may name, such as `spec.size`. Default none. */
  readonly selectableFields?: readonly string[];
  /** The subresource `scale`, a Scale of autoscaling/v1. `kubectl scale` and autoscalers use it. Default: none. */
  readonly scale?: ScalePaths;
  /**
   * Whether objects have a protobuf form. Every field of the schemas then needs a `fieldNumber()`; `spec` has 2 and
   * `status` 3 by default. Default false: clients that accept protobuf and JSON get JSON, and those that accept only
   * protobuf a 406. Lists of metadata, Tables, Statuses and Scales have protobuf in any case.
   */
  readonly protobuf?: boolean;
  /** Other versions, in order of preference after the hub. */
  readonly versions?: readonly SpokeVersion[];
  /** Subresources besides `status`, which exists if the schema has a property `status` and there is no `store`. */
  readonly subresources?: readonly SubresourceDefinition[];
  /**
   * Replaces the store over Storage: a table of a database, or a computed collection. The resource has the verbs that
   * the store has. The schema still gives defaults, columns and documentation, but the store itself validates what
   * it writes.
   */
  store?(host: RegistryHost): ResourceStore;
  /**
   * The objects, in a database: see `Rows`. The server mirrors them in memory, so every verb, selector and watch works
   * as with the embedded storage. Rows without write methods leave get, list and watch, and no subresource `status`.
   * They are stopped with the server. Cannot be combined with `store`. Default: the storage of the server.
   */
  readonly rows?: ReadOnlyRows<object>;
}
