/** The differences between two etcd snapshots, as lines for people. */
import { equalJson, isJsonObject, type JsonValue } from '../base/json-value.ts';
import { completeOptions } from '../controlplane/complete-options.ts';
import { decodeSnapshot } from '../controlplane/decode-snapshot.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { serverOptions } from '../controlplane/options.ts';
import { SnapshotStore } from '../controlplane/snapshot-store.ts';
import { parseObject } from '../server/registry/stored-object.ts';
import type { EncryptionRules } from '../storage/encryption/encryption.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { loadNamedSnapshot } from './load-snapshot.ts';

export interface DiffOptions {
  readonly older: string;
  readonly newer: string;
  readonly prefix: string;
  readonly rules: EncryptionRules | undefined;
}

/** The number of characters after which a printed value is cut. */
const VALUE_CHARACTERS = 80;

/** Prints one line per object and one per field. Resolves with 1 if there are differences. */
export async function printDiff(options: DiffOptions): Promise<number> {
  const older = await objectsOf(options.older, options);
  const newer = await objectsOf(options.newer, options);
  let differing = 0;
  for (const key of [...new Set([...older.keys(), ...newer.keys()])].sort()) {
    const lines = objectLines(key, older.get(key), newer.get(key));
    if (lines.length > 0) differing++;
    for (const line of lines) console.log(line);
  }
  console.log(`${differing} of ${new Set([...older.keys(), ...newer.keys()]).size} objects differ`);
  return differing === 0 ? EXIT_CODES.ok : EXIT_CODES.failed;
}

async function objectsOf(path: string, { prefix, rules }: DiffOptions): Promise<ReadonlyMap<string, Uint8Array>> {
  const options = serverOptions({ storage: 'memory', dataDir: '', runtimeConfig: ['api/all=true'], controllers: [] });
  const completed = await completeOptions(options, nodePlatform);
  const store = new SnapshotStore({ prefix, rules, reason: 'the store is read-only' });
  return decodeSnapshot(completed, store, loadNamedSnapshot(path), async ({ report, items }) => {
    for (const { key, reason } of report.undecodable) console.error(`warning: ${path}: ${key} is left out: ${reason}`);
    const values = new Map<string, Uint8Array>();
    for await (const { key, value } of items) values.set(key, value);
    return values;
  });
}

/**
 * Returns the lines about one object: `+` for an added object, `-` for a removed one, `~` for a changed one, followed
 * by a line for each field. Empty if both states are equal.
 */
export function objectLines(
  key: string,
  older: Uint8Array | undefined,
  newer: Uint8Array | undefined,
): readonly string[] {
  const name = key.slice(key.indexOf('/') + 1);
  if (older === undefined) return [`+ ${name}`];
  if (newer === undefined) return [`- ${name}`];
  const isSecret = name.startsWith('secrets/');
  const fields = changedFields(comparable(older, key), comparable(newer, key), '');
  if (fields.length === 0) return [];
  return [`~ ${name}`, ...fields.map(({ path, from, to }) => `    ${path}: ${fieldText(path, from, to, isSecret)}`)];
}

/** Parses a stored object, without managedFields, which change with every write. */
function comparable(value: Uint8Array, key: string): JsonValue {
  const object = parseObject(value, key);
  if (isJsonObject(object['metadata'])) delete object['metadata']['managedFields'];
  return object;
}

interface ChangedField {
  readonly path: string;
  readonly from: JsonValue | undefined;
  readonly to: JsonValue | undefined;
}

function changedFields(from: JsonValue | undefined, to: JsonValue | undefined, path: string): readonly ChangedField[] {
  if (from !== undefined && to !== undefined && equalJson(from, to)) return [];
  if (isJsonObject(from) && isJsonObject(to))
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
      changedFields(from[name], to[name], path === '' ? name : `${path}.${name}`),
    );
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((element, i) => changedFields(element, to[i], `${path}[${i}]`));
  return from === to ? [] : [{ path, from, to }];
}

/** Does not print values of Secrets, nor their annotations: that of `kubectl apply` contains the values, too. */
function fieldText(path: string, from: JsonValue | undefined, to: JsonValue | undefined, isSecret: boolean): string {
  if (isSecret && (path.startsWith('data.') || path.startsWith('metadata.annotations'))) return '(changed)';
  return `${valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}...` : text;
}
