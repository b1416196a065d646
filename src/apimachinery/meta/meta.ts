/**
 * Readers of the metadata of objects, over plain JSON. They never throw and change nothing: a field of a wrong type
 * counts as absent. They return parts of the object itself where those have the right type, so callers must not modify
 * them.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

const NO_LABELS: Readonly<Record<string, string>> = {};

/** The `metadata` of an object; undefined if it is absent or not an object. */
export function metadataOf(value: JsonObject): JsonObject | undefined {
  const metadata = getField(value, 'metadata');
  return isJsonObject(metadata) ? metadata : undefined;
}

/** The name, or ''. */
export function nameOf(value: JsonObject): string {
  return metaText(value, 'name');
}

/** The namespace, or ''. */
export function namespaceOf(value: JsonObject): string {
  return metaText(value, 'namespace');
}

/** The uid, or ''. */
export function uidOf(value: JsonObject): string {
  return metaText(value, 'uid');
}

/** The resourceVersion, or ''. */
export function resourceVersionOf(value: JsonObject): string {
  return metaText(value, 'resourceVersion');
}

/** The labels. A null counts as an empty value; a label with any other value that is not a string is left out. */
export function labelsOf(value: JsonObject): Readonly<Record<string, string>> {
  return metaTextMap(value, 'labels');
}

/**
 * The annotations. A null counts as an empty value; an annotation with any other value that is not a string is left
 * out.
 */
export function annotationsOf(value: JsonObject): Readonly<Record<string, string>> {
  return metaTextMap(value, 'annotations');
}

/** The finalizers that are strings. */
export function finalizersOf(value: JsonObject): readonly string[] {
  const list = metaField(value, 'finalizers');
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The owner references that are objects, each with the fields that have the right type. */
export function ownerReferencesOf(value: JsonObject): readonly OwnerReference[] {
  const list = metaField(value, 'ownerReferences');
  return Array.isArray(list) ? list.filter(isJsonObject).map(readOwnerReference) : [];
}

/** Whether the object has a deletionTimestamp. */
export function isTerminating(value: JsonObject): boolean {
  return metaText(value, 'deletionTimestamp') !== '';
}

function metaField(value: JsonObject, name: string): JsonValue | undefined {
  const metadata = metadataOf(value);
  return metadata === undefined ? undefined : getField(metadata, name);
}

function metaText(value: JsonObject, name: string): string {
  const field = metaField(value, name);
  return typeof field === 'string' ? field : '';
}

function metaTextMap(value: JsonObject, name: string): Readonly<Record<string, string>> {
  const map = metaField(value, name);
  if (!isJsonObject(map)) return NO_LABELS;
  const keys = Object.keys(map);
  if (keys.every((key) => typeof map[key] === 'string')) return map as Record<string, string>;
  const entries: [string, string][] = [];
  for (const key of keys) {
    const text = map[key] ?? '';
    if (typeof text === 'string') entries.push([key, text]);
  }
  return Object.fromEntries(entries);
}

const OWNER_REFERENCE_FIELDS = [
  ['apiVersion', 'string'],
  ['kind', 'string'],
  ['name', 'string'],
  ['uid', 'string'],
  ['controller', 'boolean'],
  ['blockOwnerDeletion', 'boolean'],
] as const;

function readOwnerReference(value: JsonObject): OwnerReference {
  const reference: JsonObject = {};
  for (const [name, type] of OWNER_REFERENCE_FIELDS) {
    const field = getField(value, name);
    if (field !== undefined && typeof field === type) reference[name] = field;
  }
  return reference as OwnerReference;
}
