/**
 * The annotation of kubectl's client-side apply. When `kubectl apply --server-side` takes over an object that was
 * applied from the client, fields that still have the value in the annotation do not conflict, and the annotation is
 * set to the applied configuration. Only the manager `kubectl` gets this treatment.
 */
import { readJson } from '../../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { utf8Length } from '../../base/utf8.ts';
import { compareTyped } from '../apply/comparison.ts';
import type { Conflict } from '../apply/managers.ts';
import { toFieldSet } from '../apply/to-field-set.ts';
import { asTyped, type TypedValue } from '../apply/typed-value.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { difference } from '../field-set/set-algebra.ts';
import { formatJson } from '../go-format.ts';
import { metadataOf } from '../meta/meta.ts';

export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager for which the annotation counts. */
export const KUBECTL_MANAGER = 'kubectl';

/** The largest size of all annotations of an object (`TotalAnnotationSizeLimitB` of upstream). */
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * Returns the conflicts that remain if the applier may take fields that still have their value of the last client-side
 * apply.
 */
export function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  live: TypedValue,
  apiVersion: string,
): readonly Conflict[] {
  const allowed = lastAppliedSet(live, apiVersion);
  return allowed === undefined ? conflicts : conflicts.filter(({ path }) => !allowed.has(path));
}

/**
 * The fields of the last client-side apply that the object still has as they were applied; undefined if the annotation
 * is absent or cannot be used.
 */
function lastAppliedSet(live: TypedValue, apiVersion: string): FieldSet | undefined {
  const text = lastAppliedOf(live.value as JsonObject);
  const read = text === '' ? undefined : readJson(text);
  if (read?.ok !== true || !isJsonObject(read.value)) return undefined;
  const { apiVersion: version, kind = '' } = read.value;
  if (version !== apiVersion || typeof kind !== 'string' || kind === '') return undefined;
  const [config, object] = [asTyped(read.value, live.type), asTyped(live.value, live.type)];
  if (!config.ok || !object.ok) return undefined;
  const { removed, modified, added } = compareTyped(config.typed.value, live.value, live.type);
  return difference(difference(difference(toFieldSet(config.typed.value, live.type), modified), added), removed);
}

function lastAppliedOf(object: JsonObject): string {
  const annotations = getField(metadataOf(object) ?? {}, 'annotations');
  const text = isJsonObject(annotations) ? getField(annotations, LAST_APPLIED_ANNOTATION) : undefined;
  return typeof text === 'string' ? text : '';
}

/**
 * Returns the object with the annotation set to the configuration, if it has the annotation. Does not modify the
 * object. Removes the annotation if annotations would become too large.
 */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const before = lastAppliedOf(object);
  if (before === '') return object;
  const text = `${formatJson(withoutLastApplied(config))}\n`;
  if (text === before) return object;
  const metadata = metadataOf(object) as JsonObject;
  const annotations: JsonObject = { ...(metadata['annotations'] as JsonObject), [LAST_APPLIED_ANNOTATION]: text };
  if (sizeOf(annotations) > MAX_ANNOTATIONS) delete annotations[LAST_APPLIED_ANNOTATION];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Annotations that are not all text are left out, as the reference reads them as none. */
function withoutLastApplied(config: JsonObject): JsonObject {
  const metadata = metadataOf(config);
  if (metadata === undefined || !Object.hasOwn(metadata, 'annotations')) return config;
  const { annotations = null, ...others } = metadata;
  if (!isJsonObject(annotations) || !Object.values(annotations).every((value) => typeof value === 'string'))
    return { ...config, metadata: others };
  const { [LAST_APPLIED_ANNOTATION]: _, ...rest } = annotations;
  return { ...config, metadata: { ...metadata, annotations: rest } };
}

function sizeOf(annotations: JsonObject): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += utf8Length(key) + (typeof value === 'string' ? utf8Length(value) : 0);
  return size;
}
