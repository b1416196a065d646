/**
 * The encoder of `metadata.managedFields`, in the order of the reference: by operation, time, manager, version and
 * subresource.
 */
import type { JsonArray, JsonObject } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { VersionedSet } from '../apply/managers.ts';
import { writeFieldsV1 } from '../field-set/fields-v1.ts';
import { parseTime } from '../scalars/time.ts';
import type { EntryDetails, Managed } from './managed.ts';

interface Entry {
  readonly details: EntryDetails;
  readonly versioned: VersionedSet;
}

/**
 * Returns the entries; undefined if there are no managers. Entries that were decoded from the stored object and have
 * not changed are the same JavaScript objects.
 */
export function encodeManagedFields({ managers, details }: Managed): JsonArray | undefined {
  if (managers.size === 0) return undefined;
  const entries = Array.from(
    managers,
    ([identifier, versioned]): Entry => ({ details: details.get(identifier) as EntryDetails, versioned }),
  );
  return entries.sort(compareEntries).map(encodeEntry);
}

function encodeEntry({ details: { identity, time, source }, versioned }: Entry): JsonObject {
  if (source?.versioned === versioned && source.entry['time'] === time) return source.entry;
  const entry: JsonObject = {};
  if (identity.manager !== '') entry['manager'] = identity.manager;
  entry['operation'] = versioned.applied ? 'Apply' : identity.operation;
  entry['apiVersion'] = versioned.apiVersion;
  if (time !== undefined) entry['time'] = time;
  entry['fieldsType'] = 'FieldsV1';
  const known = source?.versioned.set === versioned.set ? source.entry['fieldsV1'] : undefined;
  entry['fieldsV1'] = known ?? writeFieldsV1(versioned.set);
  if (identity.subresource !== '') entry['subresource'] = identity.subresource;
  return entry;
}

function compareEntries(a: Entry, b: Entry): number {
  if (a.versioned.applied !== b.versioned.applied) return a.versioned.applied ? -1 : 1;
  const byTime = compareTimes(a.details.time, b.details.time);
  if (byTime !== 0) return byTime;
  return (
    compareUtf8(a.details.identity.manager, b.details.identity.manager) ||
    compareUtf8(a.versioned.apiVersion, b.versioned.apiVersion) ||
    compareUtf8(a.details.identity.subresource, b.details.identity.subresource)
  );
}

const TIME_LENGTH = '2006-01-02T15:04:05Z'.length;

/** Compares the times of two entries. A missing or malformed time counts as the beginning of 1970. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // Times of four-digit years sort like their texts.
  if (a?.length === TIME_LENGTH && b?.length === TIME_LENGTH && a > '1970' && b > '1970') return a < b ? -1 : 1;
  return secondsOf(a) - secondsOf(b);
}

function secondsOf(time: string | undefined): number {
  const parsed = time === undefined ? undefined : parseTime(time);
  return parsed?.ok === true ? parsed.value.seconds : 0;
}
