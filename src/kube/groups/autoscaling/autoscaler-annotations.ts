/**
 * The annotations that hold what autoscaling/v1 has no fields for. Invariant: only conversion writes and reads them;
 * they are never stored.
 */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
export const CURRENT_METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/current-metrics';
export const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';
export const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

const ROUND_TRIP: ReadonlySet<string> = new Set([
  METRICS_ANNOTATION,
  CURRENT_METRICS_ANNOTATION,
  CONDITIONS_ANNOTATION,
  BEHAVIOR_ANNOTATION,
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
]);

/** Removes these annotations from `object`. Replaces the annotations object, which other objects may share. */
export function dropRoundTripAnnotations(object: JsonObject): void {
  const metadata = objectAt(object, 'metadata');
  const annotations = metadata === undefined ? undefined : objectAt(metadata, 'annotations');
  if (metadata === undefined || annotations === undefined) return;
  const kept = Object.entries(annotations).filter(([key]) => !ROUND_TRIP.has(key));
  if (kept.length === Object.keys(annotations).length) return;
  if (kept.length === 0) delete metadata['annotations'];
  else metadata['annotations'] = Object.fromEntries(kept);
}
