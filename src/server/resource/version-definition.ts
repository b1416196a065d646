/**
 * One version of a resource: its kind, type, defaults and columns. Invariant: a version is immutable. Functions get an
 * object of their own where they may change it.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { FieldSources } from '../../cache/describe-json.ts';
import type { GivenVersionSchemas } from '../openapi/given-schema.ts';

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A column of the Table that `kubectl get` prints, as meta.k8s.io describes it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; above 0 only with `-o wide`. */
  readonly priority: number;
}

export interface TableDefinition {
  readonly columns: readonly ColumnDefinition[];
  /**
   * Returns one value per column. The object is in the table's version and must not be changed. `now` is the wall clock
   * in milliseconds, for ages.
   */
  cells(object: JsonObject, now: number): JsonValue[];
  /**
   * Returns the object whose metadata the row carries, for versions whose annotations stand for fields of another
   * version. Default: the object.
   */
  metadataSource?(object: JsonObject): JsonObject;
  /**
   * Returns the conditions of the row (TableRowCondition of meta.k8s.io), for example that a Job has completed. Default
   * none.
   */
  conditions?(object: JsonObject): JsonValue[] | undefined;
}

// ── Versions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type NormalizeResult =
  /** `problems`: what strict decoding reports, in the decoder's words (`unknown field "spec.x"`). Default none. */
  | { readonly ok: true; readonly object: JsonObject; readonly problems?: readonly string[] }
  /** The object cannot be decoded, in the decoder's words: `json: cannot unmarshal number into Go struct field ...`. */
  | { readonly ok: false; readonly message: string };

/** One version. It names its group because the versions of Event are in two groups. */
export interface VersionDefinition extends GroupVersion {
  readonly kind: string;
  /** The kind of lists; by convention `<kind>List`. */
  readonly listKind: string;
  /** Whether items of a list carry apiVersion and kind, as those of custom resources do. Default false. */
  readonly typedItems?: boolean;
  /**
   * Whether bodies are decoded without a fixed type, as those of custom resources are. Then `normalize` drops unknown
   * fields and reports them in `problems`, a body must have apiVersion and kind, and the strategy refuses another kind.
   * Default false: the endpoint drops and reports unknown fields before it calls `normalize`.
   */
  readonly unstructured?: boolean;
  /** Other group-versions that a body may have because their types are the same: an Eviction. Default none. */
  readonly accepts?: readonly GroupVersion[];
  /**
   * Returns the type, for unknown fields, strategic merge, protobuf and OpenAPI. Made on first use; always the same
   * value.
   */
  type(): StructView;
  /**
   * Whether the type has a protobuf form for bodies and answers. Default false; metadata-only answers always have one.
   */
  readonly protobuf?: boolean;
  /** Whether strategic merge patches are allowed: for built-in kinds. */
  readonly strategicMerge: boolean;
  /**
   * Brings a decoded body into the form of its type: absent instead of null, zero values that are always written,
   * fields in order. Called on bodies and on patched objects, before `setDefaults`. May change the object and return
   * it. A value of the wrong type is a failure, which the client gets as a 400.
   *
   * `keepsEmptyLists` is true for requests whose fields are tracked: empty lists that storage does not have then stay
   * until `dropEmptyLists`, because their manager owns them. Default false.
   */
  normalize(object: JsonObject, keepsEmptyLists?: boolean): NormalizeResult;
  /**
   * Replaces the lists that `normalize` kept by null, in place. Called when the fields of the request were tracked.
   * Absent: there is no such list.
   */
  dropEmptyLists?(object: JsonObject): void;
  /**
   * Drops fields that the type does not have, in place. Called on objects from storage and from conversion; bodies go
   * through `normalize`. Absent: nothing is dropped.
   */
  prune?(object: JsonObject): void;
  /**
   * Fills in the defaults of this version, in place. Called on normalized bodies, on patched objects, and on objects
   * from storage and from conversion. Must be idempotent. `keepNulls` is true for the result of server-side apply:
   * nulls that a structural schema neither allows nor replaces then stay, and validation refuses them.
   */
  setDefaults?(object: JsonObject, keepNulls?: boolean): void;
  /** Returns the Table of this version. Called often; should return the same value. Absent: name and age. */
  table?(): TableDefinition;
  /** The paths that `fieldSelector` may name, beside metadata.name and metadata.namespace, in this version's object. */
  readonly selectableFields: readonly string[];
  /**
   * For selectable fields that are not at the path of their name: the first of these paths with a value. Default none.
   */
  readonly fieldSources?: FieldSources;
  /**
   * OpenAPI schemas that replace those made from `type()`: those of a structural schema. Default: made from the type.
   */
  readonly openapi?: GivenVersionSchemas;
  /** The warning that every request to this version gets; '' if it is not deprecated. */
  readonly deprecationWarning: string;
}
