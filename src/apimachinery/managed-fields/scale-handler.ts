/**
 * Ownership of the replicas field between a resource and its scale subresource. An apply or update of a Scale works on
 * entries of `autoscaling/v1` that own `.spec.replicas`; they come from the entries of the resource and go back there.
 */
import type { JsonArray, JsonValue } from '../../base/json-value.ts';
import type { Managers, VersionedSet } from '../apply/managers.ts';
import { fieldSetOf } from '../field-set/field-set.ts';
import type { Path } from '../field-set/path-element.ts';
import { difference } from '../field-set/set-algebra.ts';
import { decodeManagedFields } from './decode-managed-fields.ts';
import { encodeManagedFields } from './encode-managed-fields.ts';
import type { EntryDetails } from './managed.ts';

const SCALE_API_VERSION = 'autoscaling/v1';
const REPLICAS_IN_SCALE: Path = ['spec', 'replicas'];

/**
 * Where each version of a resource has its replicas. Null: the version has no scale subresource, and its entries are
 * kept as they are. Entries of versions that are not here are dropped.
 */
export type ReplicasPaths = ReadonlyMap<string, Path | null>;

export type ScaleEntries =
  | { readonly ok: true; readonly entries: JsonArray | undefined }
  | { readonly ok: false; readonly message: string };

export interface ScaleHandlerOptions {
  /** The managedFields of the resource. */
  readonly parentEntries: JsonValue | undefined;
  /** The version in which the resource is scaled. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/**
 * The managedFields of the Scale: the managers of the resource that own its replicas. Set on the Scale before a write
 * to it is tracked.
 */
export function scaleEntriesOf({ parentEntries, paths }: ScaleHandlerOptions): ScaleEntries {
  const decoded = decodeManagedFields(parentEntries, 'request');
  if (!decoded.ok) return decoded;
  const { managers, details } = decoded.managed;
  const scale: Managers = new Map();
  for (const [identifier, { set, apiVersion, applied }] of managers) {
    const path = paths.get(apiVersion);
    if (path !== undefined && path !== null && set.has(path))
      scale.set(identifier, { set: fieldSetOf(REPLICAS_IN_SCALE), apiVersion: SCALE_API_VERSION, applied });
  }
  return { ok: true, entries: encodeManagedFields({ managers: scale, details }) };
}

/**
 * The managedFields of the resource after a write to its Scale left `scaleEntries` there. A manager of the resource
 * that lost the replicas in the Scale loses them here; one that gained them has an entry with that field alone. As in
 * the reference, entries that come from a Scale have the time of the same manager's entry in the resource, or none.
 */
export function parentEntriesOf(options: ScaleHandlerOptions, scaleEntries: JsonValue | undefined): ScaleEntries {
  const parent = decodeManagedFields(options.parentEntries, 'stored');
  const scale = decodeManagedFields(scaleEntries, 'request');
  if (!parent.ok) return parent;
  if (!scale.ok) return scale;
  const scaled = new Map(scale.managed.managers);
  const managers: Managers = new Map();
  for (const [identifier, versioned] of parent.managed.managers) {
    const kept = keptOf(versioned, identifier, scaled, options.paths);
    if (kept !== undefined) managers.set(identifier, kept);
  }
  const details = new Map<string, EntryDetails>(parent.managed.details);
  const path = options.paths.get(options.apiVersion) ?? [];
  for (const [identifier, { set, applied }] of scaled) {
    if (!set.has(REPLICAS_IN_SCALE)) continue;
    managers.set(identifier, { set: fieldSetOf(path), apiVersion: options.apiVersion, applied });
    const { identity } = scale.managed.details.get(identifier) as EntryDetails;
    details.set(identifier, { identity, time: details.get(identifier)?.time });
  }
  return { ok: true, entries: encodeManagedFields({ managers, details }) };
}

/**
 * Returns the fields that a manager of the resource keeps; undefined if its entry is dropped. Removes an owner that the
 * Scale confirms from `scaled`.
 */
function keptOf(
  versioned: VersionedSet,
  identifier: string,
  scaled: Map<string, VersionedSet>,
  paths: ReplicasPaths,
): VersionedSet | undefined {
  const path = paths.get(versioned.apiVersion);
  if (path === undefined) return undefined;
  if (path === null || !versioned.set.has(path) || scaled.delete(identifier)) return versioned;
  const set = difference(versioned.set, fieldSetOf(path));
  return set.isEmpty ? undefined : { ...versioned, set };
}
