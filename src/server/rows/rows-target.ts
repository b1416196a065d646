/**
 * The part of a rows storage that applies the lists and changes of the feed to the mirror.
 * Invariant: a list or a change never reverts a write of this process. A key that was written during a list, or that is
 * being written, is read again when no write of the key is running. Sequenced rows are ordered by their versions
 * instead.
 */
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { StorageError } from '../../storage/errors.ts';
import type { Revision } from '../../storage/storage.ts';
import type { RowCodec } from './row-codec.ts';
import type { ReadOnlyRows, Row, RowChange, RowKey } from './rows.ts';
import type { FeedTarget, RowSource } from './rows-feed.ts';
import type { MirroredRow, RowsMirror } from './rows-mirror.ts';

export interface RowsTargetOptions {
  readonly rows: ReadOnlyRows<JsonObject>;
  readonly codec: RowCodec;
  readonly mirror: () => RowsMirror | undefined;
  /** Called with the first state, and with each state that replaces all rows. */
  restart(revision: Revision, rows: readonly MirroredRow[]): void;
  /** Returns the first revision of this epoch. Called once, unless the rows are sequenced. */
  firstRevision(): Revision;
  /** Whether a write of the key is running. */
  isBusy(key: string): boolean;
  /** Runs the task when no write of the key is running. */
  inTurn<T>(key: string, task: () => Promise<T>): Promise<T>;
  onTrouble(error: Error): void;
}

export class RowsTarget implements FeedTarget {
  readonly #options: RowsTargetOptions;
  /** The keys that were written since the running list began. Undefined: no list is running. */
  #written: Set<string> | undefined;

  constructor(options: RowsTargetOptions) {
    this.#options = options;
  }

  /** Called when a write of the key begins, and when it ends. */
  noteWrite(key: string): void {
    this.#written?.add(key);
  }

  async listed(list: () => Promise<RowSource>): Promise<void> {
    const mirror = this.#options.mirror();
    if (mirror === undefined) await this.#adopt(list);
    else await this.#compare(mirror, list);
  }

  async sequenced(list: () => Promise<RowSource>, position: string, next: () => Promise<RowChange>): Promise<void> {
    const items = new Map<string, MirroredRow>();
    let reached = sequenceNumber(position);
    let newest = reached;
    await this.#each(await list(), (key, row) => {
      const revision = sequenceNumber(row.version);
      newest = Math.max(newest, revision);
      items.set(key, { key, value: this.#options.codec.encode(row.object), version: row.version, revision });
    });
    // The list may contain later changes than `position`. All changes up to the newest of them are applied before the
    // list is used.
    while (reached < newest) {
      const change = await next();
      if (change.type === 'too-old' || change.type === 'changed') throw unordered(change.type);
      reached = changeNumber(change);
      this.#replay(items, change, reached);
    }
    this.#options.restart(reached, [...items.values()]);
  }

  async changed(change: Exclude<RowChange, { readonly type: 'too-old' }>): Promise<void> {
    const mirror = this.#options.mirror()!;
    if (this.#options.rows.sequenced) this.#applySequenced(mirror, change);
    else if (change.type !== 'position') {
      const key = this.#keyOf(change);
      const isKnown = change.type === 'put' && key !== undefined && mirror.version(key) === change.row.version;
      if (key !== undefined && !isKnown) await this.refresh(mirror, key);
    }
  }

  /** Updates the mirror to the current state of a row. Rejects with a StorageError if the row cannot be read. */
  async catchUp(mirror: RowsMirror, key: string): Promise<void> {
    if (this.#options.rows.sequenced !== true) {
      await this.refresh(mirror, key).catch((caught: unknown) => Promise.reject(unreadable(caught, key)));
      return;
    }
    const { rows, codec } = this.#options;
    const known = mirror.version(key);
    const row = await rows.get(codec.rowOf(key)).catch((caught: unknown) => Promise.reject(unreadable(caught, key)));
    if (row?.version === known) return;
    if (row === undefined) await mirror.until(() => mirror.version(key) !== known, 'a removal');
    else await mirror.reach(sequenceNumber(row.version));
  }

  /** Reads a row and applies its state to the mirror. Only for rows that are not sequenced. */
  refresh(mirror: RowsMirror, key: string): Promise<void> {
    return this.#options.inTurn(key, () => this.refreshInTurn(mirror, key));
  }

  /** Like `refresh`, for a caller that has the turn of the key. */
  async refreshInTurn(mirror: RowsMirror, key: string): Promise<void> {
    const { rows, codec } = this.#options;
    this.#take(mirror, key, await rows.get(codec.rowOf(key)));
  }

  #take(mirror: RowsMirror, key: string, row: Row | undefined): void {
    if (row?.version === mirror.version(key)) return;
    if (row === undefined) mirror.remove(key);
    else mirror.put(key, this.#options.codec.encode(row.object), row.version);
  }

  #applySequenced(mirror: RowsMirror, change: Exclude<RowChange, { readonly type: 'too-old' }>): void {
    if (change.type === 'changed') throw unordered(change.type);
    const number = changeNumber(change);
    if (number <= mirror.storage.revision()) return;
    const key = change.type === 'position' ? undefined : this.#keyOf(change);
    if (key === undefined) mirror.advance(number);
    else if (change.type === 'put')
      mirror.put(key, this.#options.codec.encode(change.row.object), change.row.version, number);
    else mirror.remove(key, number);
  }

  #replay(items: Map<string, MirroredRow>, change: RowChange, revision: Revision): void {
    if (change.type !== 'put' && change.type !== 'remove') return;
    const key = this.#keyOf(change);
    if (key === undefined || (items.get(key)?.revision ?? 0) >= revision) return;
    if (change.type === 'remove') items.delete(key);
    else {
      const { object, version } = change.row;
      items.set(key, { key, value: this.#options.codec.encode(object), version, revision });
    }
  }

  async #adopt(list: () => Promise<RowSource>): Promise<void> {
    const revision = this.#options.firstRevision();
    const items = new Map<string, MirroredRow>();
    await this.#each(await list(), (key, { object, version }) => {
      items.set(key, { key, value: this.#options.codec.encode(object), version, revision });
    });
    this.#options.restart(revision, [...items.values()]);
  }

  /** Applies the differences between the mirror and a list. */
  async #compare(mirror: RowsMirror, list: () => Promise<RowSource>): Promise<void> {
    const written = new Set<string>();
    this.#written = written;
    const seen = new Set<string>();
    const differing = new Map<string, Row | undefined>();
    try {
      await this.#each(await list(), (key, row) => {
        seen.add(key);
        if (mirror.version(key) !== row.version) differing.set(key, row);
      });
    } finally {
      this.#written = undefined;
    }
    for (const key of mirror.keys()) if (!seen.has(key)) differing.set(key, undefined);
    for (const [key, row] of differing) {
      if (written.has(key) || this.#options.isBusy(key)) await this.refresh(mirror, key);
      else this.#take(mirror, key, row);
    }
  }

  async #each(rows: RowSource, take: (key: string, row: Row) => void): Promise<void> {
    for await (const row of rows) {
      const key = this.#keyOf({ type: 'put', row });
      if (key !== undefined) take(key, row);
    }
  }

  /** Returns the key of a change. Reports a row that cannot be an object of the resource, and returns undefined. */
  #keyOf(change: Exclude<RowChange, { readonly type: 'position' | 'too-old' }>): string | undefined {
    const { codec, onTrouble } = this.#options;
    try {
      const row: RowKey = change.type === 'put' ? codec.nameOf(change.row.object) : change.key;
      return codec.keyOf(row);
    } catch (caught) {
      onTrouble(caught as StorageError);
      return undefined;
    }
  }
}

/** Parses a version of sequenced rows as a revision. Throws StorageError(Corrupt) for other texts. */
export function sequenceNumber(version: string): Revision {
  const number = Number(version);
  if (/^[1-9]\d*$/.test(version) && Number.isSafeInteger(number)) return number;
  throw new StorageError('Corrupt', `the version ${JSON.stringify(version)} of sequenced rows is not a number above 0`);
}

function unreadable(caught: unknown, key: string): StorageError {
  const cause = toError(caught);
  return new StorageError('Unavailable', `the row cannot be read: ${cause.message}`, { cause, key });
}

function changeNumber(change: Exclude<RowChange, { readonly type: 'too-old' | 'changed' }>): Revision {
  switch (change.type) {
    case 'position':
      return sequenceNumber(change.cursor);
    case 'put':
      return sequenceNumber(change.row.version);
    case 'remove':
      return sequenceNumber(change.version);
  }
}

function unordered(type: string): StorageError {
  return new StorageError('Unavailable', `the stream of changes of sequenced rows has an element '${type}'`);
}
