/**
 * Predicates decide which events of a watched object enqueue a reconcile.
 * Invariant: the named predicates always pass the event of an object that is created, removed or begins to be deleted.
 * Only a custom function can drop such an event.
 */
import type { Stored } from '../client/object-types.ts';

/** A change of an object as an informer reports it. */
export type ObjectEvent<T> =
  /** `initial`: the object existed when the watch began. */
  | { readonly type: 'added'; readonly object: Stored<T>; readonly initial: boolean }
  /** On a resync `before` and `object` are the same. */
  | { readonly type: 'updated'; readonly before: Stored<T>; readonly object: Stored<T> }
  /** `object` is the last known state. */
  | { readonly type: 'deleted'; readonly object: Stored<T> };

export type PredicateFunction<T> = (event: ObjectEvent<T>) => boolean;

/**
 * - `generation`: the spec has changed. Changes of the status and of metadata do not pass. Only for kinds whose server
 *   counts `metadata.generation`: custom resources, workloads, but not ConfigMaps or Secrets.
 * - `labels`, `annotations`: these have changed.
 * - `resourceVersion`: any change, but not a resync.
 * - A function decides about every event. If it throws, the error is reported and the event passes.
 * - If there are several predicates, an event passes if one of them passes.
 */
export type Predicate<T> =
  | 'generation'
  | 'labels'
  | 'annotations'
  | 'resourceVersion'
  | PredicateFunction<T>
  | readonly Predicate<T>[];

/** Whether an event passes. Without a predicate every event passes. */
export function passes<T>(predicate: Predicate<T> | undefined, event: ObjectEvent<T>): boolean {
  if (predicate === undefined) return true;
  if (typeof predicate === 'function') return predicate(event);
  if (Array.isArray(predicate)) return predicate.some((one: Predicate<T>) => passes(one, event));
  if (event.type !== 'updated') return true;
  const before = event.before.metadata;
  const now = event.object.metadata;
  if (before.deletionTimestamp === undefined && now.deletionTimestamp !== undefined) return true;
  switch (predicate) {
    case 'generation':
      return before.generation !== now.generation;
    case 'labels':
      return !equalRecords(before.labels, now.labels);
    case 'annotations':
      return !equalRecords(before.annotations, now.annotations);
    default:
      return before.resourceVersion !== now.resourceVersion;
  }
}

type TextRecord = Readonly<Record<string, string>> | undefined;

function equalRecords(a: TextRecord, b: TextRecord): boolean {
  if (a === b) return true;
  const names = Object.keys(a ?? {});
  return names.length === Object.keys(b ?? {}).length && names.every((name) => a?.[name] === b?.[name]);
}
