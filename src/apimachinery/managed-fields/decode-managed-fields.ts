/** The decoder of `metadata.managedFields`. */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { Managers } from '../apply/managers.ts';
import { EMPTY_SET } from '../field-set/field-set.ts';
import { readFieldsV1 } from '../field-set/fields-v1.ts';
import { quote } from '../go-format.ts';
import { formatTime, parseTime } from '../scalars/time.ts';
import { type EntryDetails, type Managed, managerIdentifier, NOTHING_MANAGED } from './managed.ts';

export type DecodedManaged =
  | { readonly ok: true; readonly managed: Managed }
  /** The problem, in the words of the reference where it has any. */
  | { readonly ok: false; readonly message: string };

/**
 * Reads entries. Of two entries with the same identity the later one counts. `origin`: entries of a stored object are
 * reused when they are encoded, as long as their manager does not change. Entries of a request are always encoded
 * again.
 */
export function decodeManagedFields(value: JsonValue | undefined, origin: 'stored' | 'request'): DecodedManaged {
  if (value === undefined || value === null) return { ok: true, managed: NOTHING_MANAGED };
  if (!Array.isArray(value)) return failure('managedFields must be a list');
  const managers: Managers = new Map();
  const details = new Map<string, EntryDetails>();
  for (let i = 0; i < value.length; i++) {
    const entry = value[i] as JsonValue;
    const problem = isJsonObject(entry)
      ? decodeEntry(entry, i, origin === 'stored', managers, details)
      : `managed fields entry ${i} must be an object`;
    if (problem !== undefined) return failure(problem);
  }
  return { ok: true, managed: { managers, details } };
}

/** Returns the problem of the entries of an object that admission has changed; undefined if they can be read. */
export function managedFieldsProblem(value: JsonValue | undefined): string | undefined {
  const decoded = decodeManagedFields(value, 'request');
  return decoded.ok ? undefined : decoded.message;
}

/** Reports whether a client asks to remove all managers: by an empty list, or by a single empty entry. */
export function isResetManagedFields(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value)) return false;
  const [only] = value;
  if (value.length !== 1 || only === undefined) return value.length === 0;
  return isJsonObject(only) && FIELDS.every((name) => isBlank(getField(only, name)));
}

const FIELDS = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function failure(message: string): DecodedManaged {
  return { ok: false, message };
}

/** Adds one entry. Returns its problem, or undefined. */
function decodeEntry(
  entry: JsonObject,
  index: number,
  isStored: boolean,
  managers: Managers,
  details: Map<string, EntryDetails>,
): string | undefined {
  const operation = textOf(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
  const apiVersion = textOf(entry, 'apiVersion');
  if (apiVersion === '') return 'apiVersion must not be empty';
  const fieldsType = textOf(entry, 'fieldsType');
  if (fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
  if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`;
  const manager = textOf(entry, 'manager');
  const fields = getField(entry, 'fieldsV1');
  const read = fields === undefined ? { ok: true as const, set: EMPTY_SET } : readFieldsV1(fields);
  if (!read.ok)
    return `error decoding versioned set of manager ${quote(manager)} in managed fields entry ${index}: error decoding set: ${read.message}`;
  const versioned = { set: read.set, apiVersion, applied: operation === 'Apply' };
  const identity = { manager, operation, apiVersion, subresource: textOf(entry, 'subresource') } as const;
  const identifier = managerIdentifier(identity);
  const time = timeOf(entry);
  managers.set(identifier, versioned);
  details.set(identifier, isStored ? { identity, time, source: { entry, versioned } } : { identity, time });
  return undefined;
}

function textOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

const CANONICAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The time in the form in which it is written; undefined for one that cannot be read. */
function timeOf(entry: JsonObject): string | undefined {
  const text = textOf(entry, 'time');
  if (CANONICAL_TIME.test(text)) return text;
  const parsed = parseTime(text);
  return text !== '' && parsed.ok ? formatTime(parsed.value) : undefined;
}
