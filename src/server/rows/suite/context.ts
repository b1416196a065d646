/** The context and the assertions of the rows suite. It imports no test runner. */
import { BugError } from '../../../base/errors.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { ReadOnlyRows, Row, RowChange, RowKey, Rows } from '../rows.ts';

/** One case of a suite. `run` rejects if the implementation is wrong. */
export interface RowsCase {
  readonly name: string;
  run(): Promise<void>;
}

/** A case before it is bound to an implementation. */
export interface RowsCaseDefinition<R> {
  readonly name: string;
  run(context: RowsContext<R>): Promise<void>;
}

export interface RowsContext<R = Rows<JsonObject>> {
  readonly rows: R;
  readonly namespaced: boolean;
  /** An object with this name. Objects with different seeds differ. */
  object(name: string, seed?: JsonValue, namespace?: string): JsonObject;
  /** The key of such an object. */
  key(name: string, namespace?: string): RowKey;
}

export interface RowsSuiteOptions<T extends object = JsonObject> {
  /** Whether the resource is namespaced. Default true. */
  readonly namespaced?: boolean;
  /**
   * Makes the fields of an object except for `metadata`, for rows that do not accept every object. Must return
   * different fields for different seeds, and must contain the seed unchanged. Default `{ spec: { seed } }`.
   */
  fields?(seed: JsonValue): Omit<T, 'metadata'>;
}

export type MakeRows<R> = () => MaybePromise<R>;

export function contextOf<T extends object, R>(rows: R, options: RowsSuiteOptions<T>): RowsContext<R> {
  const { namespaced = true } = options;
  const fields = options.fields ?? ((seed: JsonValue) => ({ spec: { seed } }));
  const key = (name: string, namespace = 'default'): RowKey => ({ namespace: namespaced ? namespace : '', name });
  return {
    rows,
    namespaced,
    key,
    object: (name, seed = 1, namespace = 'default') => ({
      ...(fields(seed) as JsonObject),
      metadata: { name, uid: `uid-of-${name}`, ...(namespaced && { namespace }) },
    }),
  };
}

export function expectTrue(condition: boolean, what: string): asserts condition {
  if (!condition) throw new BugError(`expected that ${what}`);
}

export function expectJson(actual: JsonValue | undefined, expected: JsonValue, what: string): void {
  if (actual !== undefined && equalJson(actual, expected)) return;
  throw new BugError(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

export function expectResult(actual: unknown, expected: string, what: string): void {
  if (actual !== expected) throw new BugError(`${what}: expected '${expected}', got ${show(actual as JsonValue)}`);
}

/** Returns the version of a write, which must have succeeded. */
export function versionOf(result: { readonly version: string } | string, what: string): string {
  if (typeof result === 'object' && typeof result.version === 'string') return result.version;
  throw new BugError(`${what}: expected a version, got ${show(result as JsonValue)}`);
}

export async function insert({ rows }: RowsContext, object: JsonObject): Promise<string> {
  return versionOf(await rows.insert(object), 'insert');
}

/** Asserts that the row exists with this object and version. */
export async function expectRow(
  { rows }: RowsContext,
  key: RowKey,
  expected: { readonly object: JsonObject; readonly version: string },
): Promise<void> {
  const row = await rows.get(key);
  expectTrue(row !== undefined, `there is a row ${show({ ...key })}`);
  expectJson(row.object, expected.object, `the object of row ${key.name}`);
  expectResult(row.version, expected.version, `the version of row ${key.name}`);
}

export async function listAll(rows: ReadOnlyRows<JsonObject>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of await rows.list()) all.push(row);
  return all;
}

export function keyOf(object: JsonObject): string {
  const metadata = object['metadata'];
  if (!isJsonObject(metadata)) throw new BugError(`an object has no metadata: ${show(object)}`);
  return `${metadata['namespace'] ?? ''}/${metadata['name']}`;
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'undefined' : writeJson(value).slice(0, 400);
}

/** Reads a stream of changes. Stop it after use. */
export class ChangeReader {
  readonly #abort = new AbortController();
  readonly #stream: AsyncIterator<RowChange>;
  cursor: string | undefined;

  constructor(rows: ReadOnlyRows<JsonObject>, since: string | undefined) {
    this.#stream = rows.changes!(since, this.#abort.signal)[Symbol.asyncIterator]();
  }

  /** Opens a stream without `since`, which must begin with its position. */
  static async start(rows: ReadOnlyRows<JsonObject>): Promise<ChangeReader> {
    const reader = new ChangeReader(rows, undefined);
    const first = await reader.next();
    expectResult(first.type, 'position', 'the first element of a stream');
    return reader;
  }

  async next(): Promise<RowChange> {
    const { done, value } = await this.#stream.next();
    if (done) throw new BugError('the stream of changes ended');
    if (value.type !== 'too-old') this.cursor = value.cursor ?? this.cursor;
    return value;
  }

  /** Returns the next element that is not a position. */
  async change(): Promise<RowChange> {
    for (;;) {
      const element = await this.next();
      if (element.type !== 'position') return element;
    }
  }

  /** Reads until a change of each key was seen, and returns all changes. */
  async untilKeys(keys: readonly string[]): Promise<RowChange[]> {
    const missing = new Set(keys);
    const seen: RowChange[] = [];
    while (missing.size > 0) {
      const change = await this.change();
      seen.push(change);
      missing.delete(changedKey(change));
    }
    return seen;
  }

  /** Resolves when the stream has ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    try {
      for (;;) if ((await this.#stream.next()).done) return;
    } catch {
      // A stream may end by throwing the reason of the signal.
    }
  }
}

export function changedKey(change: RowChange): string {
  switch (change.type) {
    case 'put':
      return keyOf(change.row.object);
    case 'remove':
    case 'changed':
      return `${change.key.namespace}/${change.key.name}`;
    default:
      throw new BugError(`the stream has an unexpected element '${change.type}'`);
  }
}
