/**
 * One served version of a resource: its kind, its type, its defaults, its columns. Invariant: a version is immutable; every function that takes an object to
 * change gets one of its own.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { FieldSources } from '../../cache/describe-json.ts';
import type { GivenVersionSchemas } from '../openapi/given-schema.ts';

// ── Columns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A column of the Table that `kubectl get` prints, as meta.k8s.io describes it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, above 0 only with `-o wide`. */
  readonly priority: number;
}

export interface TableDefinition {
  readonly columns: readonly ColumnDefinition[];
  /** One value for each column. The object is in the table's version; `now` is the wall clock in milliseconds, for ages. */
  cells(object: JsonObject, now: number): JsonValue[];
  /** What the row shows the metadata of, where annotations of this version stand for fields of another. Default: the object. */
  metadataSource?(object: JsonObject): JsonObject;
  /** What is special about the row, as meta.k8s.io describes it: that the object has completed. Default nothing. */
  conditions?(object: JsonObject): JsonValue[] | undefined;
}

// ── Versions ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type NormalizeResult =
  /** `problems`: what strict decoding has to say about the object, in its words (`unknown field "spec.x"`). Default none. */
  | { readonly ok: true; readonly object: JsonObject; readonly problems?: readonly string[] }
  /** In the decoder's words: `json: cannot unmarshal number into Go struct field ...`. */
  | { readonly ok: false; readonly message: string };

/** One served version. The group is here and not in the resource because Event lives in two. */
export interface VersionDefinition extends GroupVersion {
  readonly kind: string;
  /** Default `<kind>List`. */
  readonly listKind: string;
  /** Items of lists carry their type fields, as those of custom resources do. Default false: items of built-in kinds come without. */
  readonly typedItems?: boolean;
  /**
   * Bodies are read as they are, as those of custom resources: `normalize` drops what the type does not have and names it in `problems`; a body must say what kind it is,
   * and that it is another one is the strategy's to refuse. Default false.
   */
  readonly unstructured?: boolean;
  /** Versions that a body may be of as well, since their types are the same: evictions. Default none. */
  readonly accepts?: readonly GroupVersion[];
  /** Its type, made on first use: for unknown fields, strategic merge, protobuf and OpenAPI. */
  type(): StructView;
  /** True where the type has a binary form: bodies and answers may be protobuf. Default false; metadata alone always has one. */
  readonly protobuf?: boolean;
  /** True where strategic merge patches are allowed: built-in kinds. */
  readonly strategicMerge: boolean;
  /**
   * What the server keeps of a body: fields that the type does not have are gone already; here values of a wrong type are refused and the rest is brought
   * into the form in which the type is written (absent instead of null, zero values that are always written, field order).
   */
  normalize(object: JsonObject): NormalizeResult;
  /** Drops what this type does not have from an object that storage or a converter gave. Bodies go through `normalize`. Default: nothing is dropped. */
  prune?(object: JsonObject): void;
  /** Fills in this version's defaults. It runs on bodies, on patched objects and on what storage holds. Idempotent. */
  setDefaults?(object: JsonObject): void;
  /** Default: name and age. */
  table?(): TableDefinition;
  /** Paths beside metadata.name and metadata.namespace, as in `fieldSelector`. They read the object in this version. */
  readonly selectableFields: readonly string[];
  /** Selectable fields that are not what their name says: the first of these paths that holds something. Default none. */
  readonly fieldSources?: FieldSources;
  /** OpenAPI schemas that replace those made from `type()`: those of a structural schema. Default: made from the type. */
  readonly openapi?: GivenVersionSchemas;
  /** Warned about on every request to this version; '' if it is not deprecated. */
  readonly deprecationWarning: string;
}
