/**
 * The last reconciles of each key, for `/debug/reconciles`. Bounds: RECORDS_PER_KEY records of each of the MAX_KEYS keys
 * that were reconciled last; older records and keys are dropped.
 */
import type { ObjectKey } from '../client/informer.ts';

export interface ReconcileRecord {
  /** The start of the reconcile, in milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly why: readonly string[];
  /** `done`, `after 30s`, `failed`, `terminal`, or `gone` if the object did not exist. */
  readonly result: string;
  readonly error?: string;
  /** The resourceVersion and generation of the reconciled object. Absent if it did not exist. */
  readonly resourceVersion?: string;
  readonly generation?: number | bigint;
}

export interface KeyJournal {
  readonly operator: string;
  readonly key: ObjectKey;
  /** The number of reconciles since the key was first seen, including those whose records were dropped. */
  readonly reconciles: number;
  /** The newest last. */
  readonly last: readonly ReconcileRecord[];
}

const RECORDS_PER_KEY = 8;
const MAX_KEYS = 1000;

export class ReconcileJournal {
  /** Entries by operator and key, the least recently reconciled first. */
  readonly #entries = new Map<
    string,
    { operator: string; key: ObjectKey; reconciles: number; last: ReconcileRecord[] }
  >();

  record(operator: string, key: ObjectKey, record: ReconcileRecord): void {
    const id = `${operator} ${key}`;
    const entry = this.#entries.get(id) ?? { operator, key, reconciles: 0, last: [] };
    entry.reconciles++;
    entry.last.push(record);
    if (entry.last.length > RECORDS_PER_KEY) entry.last.shift();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    if (this.#entries.size > MAX_KEYS) this.#entries.delete(this.#entries.keys().next().value as string);
  }

  /** Returns the entries, the most recently reconciled key first. */
  read(
    filter: { readonly operator?: string | undefined; readonly key?: ObjectKey | undefined } = {},
  ): readonly KeyJournal[] {
    return [...this.#entries.values()]
      .filter(({ operator, key }) => (filter.operator ?? operator) === operator && (filter.key ?? key) === key)
      .reverse();
  }
}
