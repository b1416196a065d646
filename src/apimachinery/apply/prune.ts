/**
 * Removal of abandoned fields. A field is abandoned if the applier applied it last time, does not apply it now, and no
 * other manager owns it. A list item or struct field is removed together with the fields below it that no manager owns.
 * Corresponds to `prune` of structured-merge-diff's `merge.Updater`.
 */
import { compareUtf8 } from '../../base/utf8.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { difference, intersection, union, unionOf } from '../field-set/set-algebra.ts';
import type { Converter, Steps } from './converter.ts';
import type { Managers, VersionedSet } from './managers.ts';
import { ensureNamedFieldsAreMembers } from './named-fields.ts';
import { removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import type { TypedValue } from './typed-value.ts';

/** An object and the version it is in. */
export interface VersionedValue {
  readonly typed: TypedValue;
  readonly apiVersion: string;
}

export interface PruneRequest {
  /** The object with the configuration merged into it. */
  readonly merged: VersionedValue;
  /** The managers, with the applier's new set. */
  readonly managers: Managers;
  readonly applier: string;
  /** The applier's set before this apply; undefined if it has none. */
  readonly last: VersionedSet | undefined;
}

const FAILED = 'failed to prune fields';
const LAST = 'last applied version';

/** Returns the merged object without abandoned fields, in the version of `merged`. */
export function* prune({ merged, managers, applier, last }: PruneRequest, converter: Converter): Steps<TypedValue> {
  if (last === undefined || last.set.isEmpty || converter.typeAt(last.apiVersion) === undefined) return merged.typed;
  const next = managers.get(applier) as VersionedSet;
  // If the new set contains the old one, no field is abandoned: the items and keys above its members are in it, too.
  if (next.apiVersion === last.apiVersion && difference(last.set, next.set).isEmpty) return merged.typed;
  const before = yield* convertTo(merged, last.apiVersion, `${FAILED}: failed to convert merged object to ${LAST}`);
  const emptied = withValue(before, removeItems(before.typed.value, named(last.set, before), before.typed.type));
  const owned = yield* addBackOwnedItems(before, emptied, managers, converter);
  const pruned = yield* addBackDanglingItems(before, owned, last.set);
  return (yield* convertTo(pruned, next.apiVersion, FAILED)).typed;
}

/** Restores the removed fields that any manager owns, the applier with its new set included. */
function* addBackOwnedItems(
  merged: VersionedValue,
  pruned: VersionedValue,
  managers: Managers,
  converter: Converter,
): Steps<VersionedValue> {
  const owned = new Map<string, FieldSet[]>();
  for (const { apiVersion, set } of managers.values()) {
    const sets = owned.get(apiVersion);
    if (sets === undefined) owned.set(apiVersion, [set]);
    else sets.push(set);
  }
  // The version of the pruned object comes first: a conversion may need fields that were removed and are owned.
  const first = pruned.apiVersion;
  const versions = [...owned.keys()].sort((a, b) => (a === first ? -1 : b === first ? 1 : compareUtf8(a, b)));
  for (const apiVersion of versions) {
    if (converter.typeAt(apiVersion) === undefined) continue;
    const cannotConvert = (what: string): string =>
      `${FAILED}: failed add back owned items: failed to convert ${what} object at version ${apiVersion}`;
    merged = yield* convertTo(merged, apiVersion, cannotConvert('merged'));
    pruned = yield* convertTo(pruned, apiVersion, cannotConvert('pruned'));
    const kept = union(named(fieldSetOf(pruned), merged), named(unionOf(owned.get(apiVersion) as FieldSet[]), merged));
    const removed = difference(named(fieldSetOf(merged), merged), kept);
    pruned = withValue(merged, removeItems(merged.typed.value, removed, merged.typed.type));
  }
  return pruned;
}

/** Restores the removed fields that the applier did not own last time. */
function* addBackDanglingItems(merged: VersionedValue, pruned: VersionedValue, last: FieldSet): Steps<VersionedValue> {
  const purpose = `${FAILED}: failed add back dangling items: failed to convert pruned object to ${LAST}`;
  const left = yield* convertTo(pruned, merged.apiVersion, purpose);
  const gone = difference(named(fieldSetOf(merged), merged), named(fieldSetOf(left), merged));
  const abandoned = intersection(gone, named(last, merged));
  return withValue(merged, removeItems(merged.typed.value, abandoned, merged.typed.type));
}

/** Returns the object in a version that the converter knows. Converts nothing if the object is in that version. */
export function* convertTo(object: VersionedValue, apiVersion: string, purpose = ''): Steps<VersionedValue> {
  if (object.apiVersion === apiVersion) return object;
  return { typed: yield { object: object.typed, apiVersion, purpose }, apiVersion };
}

function fieldSetOf({ typed }: VersionedValue): FieldSet {
  return toFieldSet(typed.value, typed.type);
}

function named(set: FieldSet, { typed }: VersionedValue): FieldSet {
  return ensureNamedFieldsAreMembers(set, typed.type);
}

function withValue({ typed, apiVersion }: VersionedValue, value: TypedValue['value']): VersionedValue {
  return { typed: { value, type: typed.type }, apiVersion };
}
