/**
 * The other forms of entries. Forms are made in batches on demand and kept while they are used.
 * Invariants: at most `bytes` bytes are kept, and the least recently used form is dropped first. Only forms of current
 * entries are kept, until `forget` is called for the entry. The same form of an entry is never made twice at the same
 * time.
 */
import { BugError, toError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Entry, FormKey, FormMaker, FormResult, MadeForm } from './cache.ts';

const DEFAULT_FORM_BYTES = 64 * 1024 * 1024;

/** The most entries in one batch of a maker. */
export const FORM_BATCH = 500;

// A form that is not used for this many ticks is dropped.
const IDLE_TICKS = 5;

interface Table {
  readonly kept: Map<Entry, MadeForm>;
  readonly pending: Map<Entry, Pending>;
  bytes: number;
  usedAt: number;
  alive: boolean;
}

/** An entry of a batch that is being made; `index` is its index in the batch. */
interface Pending {
  readonly batch: Promise<readonly FormResult[]>;
  readonly index: number;
}

export interface FormsOptions {
  readonly maker: FormMaker;
  /** The most bytes to keep. Default 64 MiB. A single form that is larger is made again for each use. */
  readonly bytes?: number;
  /** Whether the entry is the current version of its key. */
  readonly isCurrent: (entry: Entry) => boolean;
}

export class Forms {
  readonly #maker: FormMaker;
  readonly #bound: number;
  readonly #isCurrent: (entry: Entry) => boolean;
  /** Tables by form, the least recently used first. */
  readonly #tables = new Map<FormKey, Table>();
  #bytes = 0;
  #made = 0;
  #tick = 0;

  constructor(options: FormsOptions) {
    this.#maker = options.maker;
    this.#bound = options.bytes ?? DEFAULT_FORM_BYTES;
    this.#isCurrent = options.isCurrent;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of forms made, including failures. */
  get made(): number {
    return this.#made;
  }

  /**
   * Returns one result per entry, in their order. The result of a broken entry is its error. Never throws or rejects.
   */
  make(form: FormKey, entries: readonly Entry[]): MaybePromise<FormResult[]> {
    const table = this.#use(form);
    const results = new Array<FormResult | undefined>(entries.length);
    let missing: Entry[] | undefined;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      if (entry.broken !== undefined) results[i] = { error: entry.broken };
      else {
        results[i] = table.kept.get(entry);
        if (results[i] === undefined && !table.pending.has(entry)) {
          missing ??= [];
          missing.push(entry);
        }
      }
    }
    const fresh = missing === undefined ? undefined : this.#start(form, table, missing);
    let waiting: Promise<unknown>[] | undefined;
    for (let i = 0; i < entries.length; i++) {
      if (results[i] !== undefined) continue;
      const entry = entries[i]!;
      results[i] = fresh?.get(entry);
      if (results[i] !== undefined) continue;
      const { batch, index } = table.pending.get(entry)!;
      waiting ??= [];
      waiting.push(
        batch.then((made) => {
          results[i] = made[index]!;
        }),
      );
    }
    return waiting === undefined ? (results as FormResult[]) : Promise.all(waiting).then(() => results as FormResult[]);
  }

  /** Drops the forms of an entry. Called when a previous version has left the event window. */
  forget(entry: Entry): void {
    for (const table of this.#tables.values()) {
      const form = table.kept.get(entry);
      if (form === undefined) continue;
      table.kept.delete(entry);
      const size = ownSize(entry, form);
      table.bytes -= size;
      this.#bytes -= size;
    }
  }

  /**
   * Drops the tables of all forms for which `which` returns true, for example those of an outdated schema generation.
   * Batches in progress are still answered, but not kept.
   */
  drop(which: (form: FormKey) => boolean): void {
    for (const [form, table] of this.#tables) if (which(form)) this.#dropTable(form, table);
  }

  /** Called periodically. Drops the forms that were not used during the last `IDLE_TICKS` calls. */
  tick(): void {
    this.#tick++;
    for (const [form, table] of this.#tables) {
      if (this.#tick - table.usedAt > IDLE_TICKS) this.#dropTable(form, table);
    }
  }

  #use(form: FormKey): Table {
    let table = this.#tables.get(form);
    if (table === undefined) table = { kept: new Map(), pending: new Map(), bytes: 0, usedAt: 0, alive: true };
    else this.#tables.delete(form); // set() below then adds it as the most recently used one
    table.usedAt = this.#tick;
    this.#tables.set(form, table);
    return table;
  }

  /** Starts to make the forms of entries. Returns the results of synchronous batches; the others become pending. */
  #start(form: FormKey, table: Table, missing: readonly Entry[]): Map<Entry, FormResult> {
    const ready = new Map<Entry, FormResult>();
    for (let from = 0; from < missing.length; from += FORM_BATCH) {
      const entries = missing.length <= FORM_BATCH ? missing : missing.slice(from, from + FORM_BATCH);
      let made: MaybePromise<readonly FormResult[]>;
      try {
        made = this.#maker.make(form, entries);
      } catch (caught) {
        made = failed(entries, toError(caught));
      }
      if (!isPromise(made)) {
        const results = this.#finish(table, entries, made);
        for (let i = 0; i < entries.length; i++) ready.set(entries[i]!, results[i]!);
        continue;
      }
      const batch = made.then(
        (results) => this.#finish(table, entries, results),
        (caught: unknown) => this.#finish(table, entries, failed(entries, toError(caught))),
      );
      for (let index = 0; index < entries.length; index++) table.pending.set(entries[index]!, { batch, index });
    }
    return ready;
  }

  #finish(table: Table, entries: readonly Entry[], made: readonly FormResult[]): readonly FormResult[] {
    const results =
      made.length === entries.length
        ? made
        : failed(entries, new BugError(`a form maker answered ${made.length} results for ${entries.length} entries`));
    this.#made += entries.length;
    for (let i = 0; i < entries.length; i++) {
      const result = results[i]!;
      table.pending.delete(entries[i]!);
      if (!('error' in result)) this.#keep(table, entries[i]!, result);
    }
    return results;
  }

  #keep(table: Table, entry: Entry, form: MadeForm): void {
    if (!table.alive || !this.#isCurrent(entry)) return;
    const size = ownSize(entry, form);
    for (const [key, other] of this.#tables) {
      if (this.#bytes + size <= this.#bound) break;
      if (other !== table) this.#dropTable(key, other);
    }
    if (this.#bytes + size > this.#bound) return;
    table.kept.set(entry, form);
    table.bytes += size;
    this.#bytes += size;
  }

  #dropTable(form: FormKey, table: Table): void {
    this.#tables.delete(form);
    this.#bytes -= table.bytes;
    table.bytes = 0;
    table.kept.clear();
    table.alive = false;
  }
}

/** The bytes that keeping a form costs: none if it shares the bytes of its entry. */
function ownSize(entry: Entry, { bytes }: MadeForm): number {
  return bytes === entry.bytes ? 0 : bytes.length;
}

function failed(entries: readonly Entry[], error: Error): FormResult[] {
  return entries.map(() => ({ error }));
}
