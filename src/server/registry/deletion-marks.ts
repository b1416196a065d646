/**
 * Sets the deletion marks of an object that is not removed at once: deletionTimestamp, deletionGracePeriodSeconds, and
 * the finalizers of the garbage collector.
 * Invariant: a mark is never removed, and a grace period is never extended.
 */
import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { parseTime } from '../../apimachinery/scalars/time.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { Strategy } from '../resource/strategy.ts';
import { incremented, timestamp } from './object-metadata.ts';
import { metadataIn } from './stored-object.ts';

/**
 * - `now`: there is no grace period. Only finalizers can delay the removal.
 * - `graceful`: the object was marked with a grace period, or its grace period was shortened.
 * - `pending`: the object is terminating already, and this request changes nothing.
 */
export type Gracefulness =
  | { readonly kind: 'now' }
  | { readonly kind: 'graceful'; readonly seconds: number }
  | { readonly kind: 'pending' };

/**
 * Decides how an object is deleted, and marks it in place if it is deleted gracefully. `object` is in the storage
 * version, `seen` in the version of the strategy.
 */
export function beginDeletion(
  strategy: Strategy,
  object: JsonObject,
  seen: JsonObject,
  options: DeleteOptions,
  now: number,
): Gracefulness {
  const metadata = metadataIn(object);
  const requested = secondsOf(options.gracePeriodSeconds);
  const present = secondsOf(metadata['deletionGracePeriodSeconds']);
  if (strategy.grace === undefined) return { kind: 'now' };
  if (isMarked(metadata)) {
    if (present === undefined || present === 0) return { kind: 'now' };
    if (requested === undefined || requested >= present) return { kind: 'pending' };
    return shorten(metadata, present, requested, now);
  }
  const decision = strategy.grace(
    seen,
    requested === undefined ? options : { ...options, gracePeriodSeconds: requested },
  );
  if (decision === undefined) return { kind: 'now' };
  const seconds = decision.gracePeriodSeconds;
  metadata['deletionTimestamp'] = timestamp(now + seconds * 1000);
  metadata['deletionGracePeriodSeconds'] = seconds;
  countDeletion(metadata);
  return { kind: 'graceful', seconds };
}

/**
 * Moves deletionTimestamp to an earlier time, by the difference of the periods, but not into the past. A period that is
 * over becomes one second, not zero: zero would remove the object before the client that has to end it, such as a
 * kubelet.
 */
function shorten(metadata: JsonObject, present: number, requested: number, now: number): Gracefulness {
  const end = parseTime(String(metadata['deletionTimestamp']));
  const marked = end.ok ? end.value.seconds * 1000 : now;
  const moved = marked - present * 1000 + requested * 1000;
  const past = moved < now;
  const seconds = past && requested !== 0 ? 1 : requested;
  metadata['deletionTimestamp'] = timestamp(past ? now : moved);
  metadata['deletionGracePeriodSeconds'] = seconds;
  return { kind: 'graceful', seconds };
}

/** Marks an object whose removal only finalizers delay: deletionTimestamp is now, and there is no grace period. */
export function markDeleting(object: JsonObject, now: number): void {
  const metadata = metadataIn(object);
  if (!isMarked(metadata)) countDeletion(metadata);
  const marked = isMarked(metadata) ? parseTime(String(metadata['deletionTimestamp'])) : undefined;
  if (marked?.ok !== true || marked.value.seconds * 1000 > now) metadata['deletionTimestamp'] = timestamp(now);
  metadata['deletionGracePeriodSeconds'] = 0;
}

function countDeletion(metadata: JsonObject): void {
  const { generation } = metadata;
  if (Number(generation ?? 0) > 0) metadata['generation'] = incremented(generation);
}

/**
 * Returns the finalizers of the object, with the finalizer of the garbage collector added, kept or removed. The delete
 * options decide first, then the existing finalizers, then the strategy. Returns `finalizers` itself if nothing
 * changes.
 */
export function deletionFinalizers(
  strategy: Strategy,
  finalizers: readonly string[],
  options: DeleteOptions,
): readonly string[] {
  const wanted = collectorFinalizer(strategy, finalizers, options);
  const kept = finalizers.filter((name) => name !== FINALIZER_ORPHAN && name !== FINALIZER_FOREGROUND);
  const result = wanted === undefined ? kept : [...kept, wanted];
  const same = result.length === finalizers.length && result.every((name) => finalizers.includes(name));
  return same ? finalizers : result;
}

function collectorFinalizer(
  strategy: Strategy,
  finalizers: readonly string[],
  options: DeleteOptions,
): string | undefined {
  if (strategy.defaultGarbageCollection === 'unsupported') return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? FINALIZER_ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return FINALIZER_ORPHAN;
    case 'Foreground':
      return FINALIZER_FOREGROUND;
    case 'Background':
      return undefined;
    default:
      break;
  }
  for (const name of finalizers) if (name === FINALIZER_ORPHAN || name === FINALIZER_FOREGROUND) return name;
  return strategy.defaultGarbageCollection === 'orphan' ? FINALIZER_ORPHAN : undefined;
}

function isMarked(metadata: JsonObject): boolean {
  const { deletionTimestamp } = metadata;
  return typeof deletionTimestamp === 'string' && deletionTimestamp !== '';
}

/** Returns a grace period in seconds. A negative period counts as one second. */
function secondsOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  return value < 0 ? 1 : Number(value);
}
