/**
 * The managed fields of an object in memory: the field sets by manager, and what entries of managedFields say beside
 * their sets.
 *
 * A manager's identity is its name, operation and subresource; for updates also the version it wrote in. Its time is
 * never part of it. So an applier has one entry however it changes versions.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { Managers, VersionedSet } from '../apply/managers.ts';
import { formatJsonString } from '../go-format.ts';

export type ManagerOperation = 'Apply' | 'Update';

export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: ManagerOperation;
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
}

export interface EntryDetails {
  readonly identity: ManagerIdentity;
  /** RFC 3339 in seconds; undefined if the entry has none. */
  readonly time: string | undefined;
  /** The entry that this was read from, reused when it is written unchanged. Undefined if it must be written anew. */
  readonly source?: { readonly entry: JsonObject; readonly versioned: VersionedSet };
}

/** Invariant: every key of `managers` is a key of `details`. Keys are `managerIdentifier`s. */
export interface Managed {
  readonly managers: Managers;
  readonly details: ReadonlyMap<string, EntryDetails>;
}

export const NOTHING_MANAGED: Managed = { managers: new Map(), details: new Map() };

const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

/**
 * The text that identifies a manager: the JSON of its entry without time and fields. Sorting by it gives the order of
 * the reference.
 */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  let text = '{';
  if (manager !== '') text += `"manager":${quoted(manager)},`;
  text += `"operation":"${operation}"`;
  if (operation === 'Update' && apiVersion !== '') text += `,"apiVersion":${quoted(apiVersion)}`;
  if (subresource !== '') text += `,"subresource":${quoted(subresource)}`;
  return `${text}}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : formatJsonString(text);
}

/** The managed fields with one manager's details replaced or added. */
export function withDetails({ managers, details }: Managed, identifier: string, added: EntryDetails): Managed {
  return { managers, details: new Map(details).set(identifier, added) };
}
