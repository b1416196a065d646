/**
 * The vocabulary of sequences: several requests about one object by several managers. Invariant: a sequence is data and
 * depends on its seed only, so that it can be sent again, to either server, with steps left out.
 */
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { apiVersionOf, collectionOf, type Subject } from './subject.ts';

/** The change that an update makes to the managedFields that it read. `value` replaces them. */
export type ManagedFieldsEdit = 'keep' | 'drop' | 'reverse' | 'drop first' | { readonly value: JsonValue };

/** A change of the object that the server has, which becomes the body. */
export interface Edit {
  /** Laid over the object. */
  readonly overlay: JsonObject;
  /** Removed from the object before. */
  readonly remove: readonly (readonly string[])[];
  readonly managedFields: ManagedFieldsEdit;
  /** Sends the resourceVersion that was read, a stale one, or none. */
  readonly revision: 'keep' | 'stale' | 'drop';
}

export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly version: string;
  readonly subresource?: string;
  readonly patch?: keyof typeof PATCH_TYPES;
  /** Parameters such as fieldManager, force and dryRun. */
  readonly query: Readonly<Record<string, string>>;
  /** The User-Agent. Default: that of the suite. */
  readonly agent?: string;
  /** `{{name}}` in strings is the name of the object. */
  readonly body?: JsonValue;
  readonly edit?: Edit;
}

export interface Sequence {
  /** `seed 12`, or the rule that the steps are about. */
  readonly title: string;
  readonly subject: Subject;
  /** The name of the object. Default: a new one for each run. */
  readonly name?: string;
  readonly steps: readonly Step[];
  /** Each step runs in a second of its own, and times and the order of entries are compared too. */
  readonly clocked: boolean;
  /** The time after each step in which loops of the servers may write. Default 0. */
  readonly settleMs?: number;
}

export const PATCH_TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** Returns the path with its query. */
export function pathOf(subject: Subject, { method, version, subresource, query }: Step): string {
  const collection = collectionOf(subject, version);
  const path = method === 'POST' ? collection : `${collection}/{{name}}`;
  const parameters = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return [
    subresource === undefined ? path : `${path}/${subresource}`,
    ...(parameters.length === 0 ? [] : [parameters.join('&')]),
  ].join('?');
}

/** Returns a step for people: method, kind of patch, path, body. */
export function formatStep(subject: Subject, step: Step): string {
  const { method, patch, agent, body, edit } = step;
  const shown = body ?? edit;
  return [
    `${method}${patch === undefined ? '' : ` (${patch})`} ${pathOf(subject, step)}`,
    ...(agent === undefined ? [] : [`as ${agent}`]),
    ...(shown === undefined ? [] : [JSON.stringify(shown)]),
  ].join(' ');
}

/** Returns the body of an edit: the object of one server, changed. */
export function editObject(object: JsonObject, { overlay, remove, managedFields, revision }: Edit): JsonObject {
  const copy = structuredClone(object);
  for (const path of remove) {
    const parent = path.slice(0, -1).reduce<JsonValue | undefined>(fieldOf, copy);
    if (isDict(parent)) delete parent[path.at(-1) as string];
  }
  const result = lay(copy, overlay) as JsonObject;
  const metadata = result['metadata'] as JsonObject;
  if (revision === 'drop') delete metadata['resourceVersion'];
  if (revision === 'stale') metadata['resourceVersion'] = '1';
  const entries = metadata['managedFields'];
  if (typeof managedFields === 'object') metadata['managedFields'] = structuredClone(managedFields.value);
  else if (managedFields === 'drop') delete metadata['managedFields'];
  else if (managedFields === 'reverse' && Array.isArray(entries)) metadata['managedFields'] = entries.toReversed();
  else if (managedFields === 'drop first' && Array.isArray(entries)) metadata['managedFields'] = entries.slice(1);
  return result;
}

/** Lays one value over another: maps by key, lists of named items by name, everything else as a whole. */
export function lay(under: JsonValue | undefined, over: JsonValue): JsonValue {
  if (isDict(under) && isDict(over)) {
    const result: JsonObject = { ...under };
    for (const [key, value] of Object.entries(over)) result[key] = lay(under[key], value);
    return result;
  }
  if (!Array.isArray(under) || !Array.isArray(over) || !over.every(isNamed) || !under.every(isNamed)) return over;
  const names = under.map(({ name }) => name);
  const added = over.filter(({ name }) => !names.includes(name));
  return [...under.map((item) => lay(item, over.find(({ name }) => name === item.name) ?? {})), ...added];
}

/** Returns the type and name of the object, as every body of it needs them. */
export function headOf(subject: Subject, version: string): JsonObject {
  return { apiVersion: apiVersionOf(subject, version), kind: subject.kind, metadata: { name: '{{name}}' } };
}

function isNamed(value: JsonValue): value is JsonObject & { readonly name: string } {
  return isDict(value) && typeof value['name'] === 'string';
}

function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isDict(value) ? value[key] : undefined;
}

export function isDict(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
