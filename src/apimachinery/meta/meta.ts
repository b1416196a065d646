/**
 * The metadata that objects and lists carry: types, and reading them out of plain JSON.
 * Invariant: reading never throws and never copies what is already right; a null counts as absent, a field of a wrong type as absent
 * plus an issue.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { type FieldIssue, typeInvalid } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import { type GroupVersionKind, gvkOf } from './gvk.ts';

export interface TypeMeta {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ListMeta {
  readonly selfLink?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number | bigint;
}

/** Times are text in RFC 3339. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly selfLink?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number | bigint;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number | bigint;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

export interface ReadMeta<T> {
  /** What could be read. */
  readonly meta: T;
  /** One for each field of a wrong type, in the order of the fields below. */
  readonly issues: readonly FieldIssue[];
}

type Check = (value: JsonValue, path: FieldPath, issues: FieldIssue[]) => JsonValue | undefined;

const METADATA = FieldPath.of('metadata');
const NO_LABELS: Readonly<Record<string, string>> = {};

const OWNER_REFERENCE: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['apiVersion', text],
  ['kind', text],
  ['name', text],
  ['uid', text],
  ['controller', bool],
  ['blockOwnerDeletion', bool],
]);

const MANAGED_FIELDS_ENTRY: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['manager', text],
  ['operation', text],
  ['apiVersion', text],
  ['time', text],
  ['fieldsType', text],
  ['fieldsV1', object],
  ['subresource', text],
]);

const OBJECT_META: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['name', text],
  ['generateName', text],
  ['namespace', text],
  ['selfLink', text],
  ['uid', text],
  ['resourceVersion', text],
  ['generation', integer],
  ['creationTimestamp', text],
  ['deletionTimestamp', text],
  ['deletionGracePeriodSeconds', integer],
  ['labels', textMap],
  ['annotations', textMap],
  ['ownerReferences', listOf(structOf(OWNER_REFERENCE))],
  ['finalizers', listOf(textOrEmpty)],
  ['managedFields', listOf(structOf(MANAGED_FIELDS_ENTRY))],
]);

const LIST_META: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['selfLink', text],
  ['resourceVersion', text],
  ['continue', text],
  ['remainingItemCount', integer],
]);

/** All metadata of an object, checked. */
export function readObjectMeta(value: JsonObject): ReadMeta<ObjectMeta> {
  return readMetadata<ObjectMeta>(value, OBJECT_META);
}

/** All metadata of a list, checked. */
export function readListMeta(value: JsonObject): ReadMeta<ListMeta> {
  return readMetadata<ListMeta>(value, LIST_META);
}

/** The type fields, checked. */
export function readTypeMeta(value: JsonObject): ReadMeta<TypeMeta> {
  const issues: FieldIssue[] = [];
  const meta: Record<string, JsonValue> = {};
  for (const name of ['apiVersion', 'kind']) {
    const field = getField(value, name) ?? null;
    const checked = field === null ? undefined : text(field, FieldPath.of(name), issues);
    if (checked !== undefined) meta[name] = checked;
  }
  return { meta: meta as TypeMeta, issues };
}

/** The kind an object says it is; empty parts for what is absent or malformed. */
export function gvkOfObject(value: JsonObject): GroupVersionKind {
  return gvkOf(stringField(value, 'apiVersion'), stringField(value, 'kind'));
}

/** The `metadata` of an object as it stands; undefined if it is absent or not an object. */
export function metadataOf(value: JsonObject): JsonObject | undefined {
  const metadata = getField(value, 'metadata');
  return isJsonObject(metadata) ? metadata : undefined;
}

export function nameOf(value: JsonObject): string {
  return metaText(value, 'name');
}

export function namespaceOf(value: JsonObject): string {
  return metaText(value, 'namespace');
}

export function uidOf(value: JsonObject): string {
  return metaText(value, 'uid');
}

export function resourceVersionOf(value: JsonObject): string {
  return metaText(value, 'resourceVersion');
}

/** Labels that are text; the rest is left out. Not a copy where all are. */
export function labelsOf(value: JsonObject): Readonly<Record<string, string>> {
  return metaTextMap(value, 'labels');
}

/** Annotations that are text; the rest is left out. Not a copy where all are. */
export function annotationsOf(value: JsonObject): Readonly<Record<string, string>> {
  return metaTextMap(value, 'annotations');
}

/** Finalizers that are text; the rest is left out. */
export function finalizersOf(value: JsonObject): readonly string[] {
  const list = metaField(value, 'finalizers');
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Owner references that are objects, each with the fields that have the right type. */
export function ownerReferencesOf(value: JsonObject): readonly OwnerReference[] {
  const list = metaField(value, 'ownerReferences');
  if (!Array.isArray(list)) return [];
  const read = structOf(OWNER_REFERENCE);
  return list.filter(isJsonObject).map((item) => read(item, METADATA, []) as OwnerReference);
}

/** Whether the object is being deleted. */
export function isTerminating(value: JsonObject): boolean {
  return metaText(value, 'deletionTimestamp') !== '';
}

function metaField(value: JsonObject, name: string): JsonValue | undefined {
  const metadata = metadataOf(value);
  return metadata === undefined ? undefined : getField(metadata, name);
}

function stringField(value: JsonObject, name: string): string {
  const field = getField(value, name);
  return typeof field === 'string' ? field : '';
}

function metaText(value: JsonObject, name: string): string {
  const metadata = metadataOf(value);
  return metadata === undefined ? '' : stringField(metadata, name);
}

function metaTextMap(value: JsonObject, name: string): Readonly<Record<string, string>> {
  const map = metaField(value, name);
  return isJsonObject(map) ? (textMap(map, METADATA, []) as Record<string, string>) : NO_LABELS;
}

function readMetadata<T>(value: JsonObject, fields: ReadonlyMap<string, Check>): ReadMeta<T> {
  const metadata = getField(value, 'metadata') ?? null;
  if (metadata === null) return { meta: {} as T, issues: [] };
  const issues: FieldIssue[] = [];
  const meta = structOf(fields)(metadata, METADATA, issues) ?? {};
  return { meta: meta as T, issues };
}

function wrong(path: FieldPath, value: JsonValue, expected: string, issues: FieldIssue[]): undefined {
  issues.push(typeInvalid(path, value, `must be ${expected}`));
  return undefined;
}

function text(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  return typeof value === 'string' ? value : wrong(path, value, 'a string', issues);
}

function textOrEmpty(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  return value === null ? '' : text(value, path, issues);
}

function bool(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  return typeof value === 'boolean' ? value : wrong(path, value, 'a boolean', issues);
}

function integer(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
  return fits ? value : wrong(path, value, 'an integer of 64 bits', issues);
}

function object(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  return isJsonObject(value) ? value : wrong(path, value, 'an object', issues);
}

function textMap(value: JsonValue, path: FieldPath, issues: FieldIssue[]): JsonValue | undefined {
  if (!isJsonObject(value)) return wrong(path, value, 'an object of strings', issues);
  const keys = Object.keys(value);
  if (keys.every((key) => typeof value[key] === 'string')) return value;
  const entries: [string, JsonValue][] = [];
  for (const key of keys) {
    const checked = textOrEmpty(value[key] as JsonValue, path.key(key), issues);
    if (checked !== undefined) entries.push([key, checked]);
  }
  return Object.fromEntries(entries);
}

function listOf(item: Check): Check {
  return (value, path, issues) => {
    if (!Array.isArray(value)) return wrong(path, value, 'a list', issues);
    const items: JsonValue[] = [];
    for (let i = 0; i < value.length; i++) {
      const checked = item(value[i] as JsonValue, path.index(i), issues);
      if (checked !== undefined) items.push(checked);
    }
    return items;
  };
}

function structOf(fields: ReadonlyMap<string, Check>): Check {
  return (value, path, issues) => {
    if (!isJsonObject(value)) return wrong(path, value, 'an object', issues);
    const result: JsonObject = {};
    for (const [name, check] of fields) {
      const field = getField(value, name) ?? null;
      if (field === null) continue;
      const checked = check(field, path.child(name), issues);
      if (checked !== undefined) result[name] = checked;
    }
    return result;
  };
}
