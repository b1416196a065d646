/**
 * The writes of a rows storage. A write runs when it has the turn of its key: it checks the mirror, writes the row, and
 * applies the result to the mirror.
 */
import { isStatusError } from '../../apimachinery/status/status.ts';
import { equalBytes } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { equalJson, type JsonObject } from '../../base/json-value.ts';
import type { Transaction, TransactionResult, Write } from '../../storage/embedded-storage.ts';
import { StorageError } from '../../storage/errors.ts';
import type { DeleteResult, KeyValue, Revision, WriteResult } from '../../storage/storage.ts';
import type { RowCodec } from './row-codec.ts';
import type { Row, Rows, RowWritten } from './rows.ts';
import type { RowsMirror } from './rows-mirror.ts';
import { sequenceNumber } from './rows-target.ts';

/** How often a write without an expected revision is attempted while other writers change the row first. */
const ATTEMPTS = 16;

export interface RowsWriterOptions {
  readonly mirror: RowsMirror;
  readonly rows: Rows<JsonObject>;
  readonly codec: RowCodec;
  /** Reads a row and applies its state to the mirror. */
  refresh(key: string): Promise<void>;
}

export class RowsWriter {
  readonly #mirror: RowsMirror;
  readonly #rows: Rows<JsonObject>;
  readonly #codec: RowCodec;
  readonly #refresh: (key: string) => Promise<void>;

  constructor({ mirror, rows, codec, refresh }: RowsWriterOptions) {
    this.#mirror = mirror;
    this.#rows = rows;
    this.#codec = codec;
    this.#refresh = refresh;
  }

  /** See `compareAndWrite` of Storage. */
  async put(key: string, expected: Revision, value: Uint8Array): Promise<WriteResult> {
    const current = this.#item(key);
    if ((current?.revision ?? 0) !== expected) return { outcome: 'conflict', current, revision: this.#revision };
    if (current !== undefined && equalBytes(current.value, value))
      return { outcome: 'ok', revision: expected, changed: false };
    const object = this.#codec.decode(value, key);
    const before = this.#mirror.version(key);
    const result = await this.#attempt<RowWritten | 'exists' | 'conflict' | 'missing'>(
      key,
      () => (before === undefined ? this.#rows.insert(object) : this.#rows.replace(object, before)),
      (row) => (row !== undefined && this.#shows(row, value, key) ? { version: row.version } : undefined),
    );
    if (typeof result === 'object')
      return { outcome: 'ok', revision: await this.#committed(key, value, result.version), changed: true };
    await this.#refused(key, before, result);
    return { outcome: 'conflict', current: this.#item(key), revision: this.#revision };
  }

  /** See `delete` of Storage. */
  async remove(key: string, expected: Revision | undefined): Promise<DeleteResult> {
    for (let attempt = 1; ; attempt++) {
      const current = this.#item(key);
      if (current === undefined) return { outcome: 'missing', revision: this.#revision };
      if (expected !== undefined && current.revision !== expected)
        return { outcome: 'conflict', current, revision: this.#revision };
      const before = this.#mirror.version(key)!;
      const result = await this.#attempt<'removed' | 'conflict' | 'missing'>(
        key,
        () => this.#rows.remove(this.#codec.rowOf(key), before),
        (row) => (row === undefined ? 'removed' : undefined),
      );
      if (result === 'removed') return { outcome: 'ok', revision: await this.#removed(key, before), deleted: current };
      await this.#refused(key, before, result);
      if (attempt === ATTEMPTS) throw outrun(key);
    }
  }

  /** A transaction with one write. See `transact` of Storage. */
  async transact(checks: Transaction['checks'], write: Write): Promise<TransactionResult> {
    const { key } = write;
    for (let attempt = 1; ; attempt++) {
      const current = this.#item(key);
      const found = current?.revision ?? 0;
      if (checks.some(({ revision }) => revision !== found))
        return { outcome: 'conflict', current: checks.map(() => current), revision: this.#revision };
      const result = write.type === 'put' ? await this.put(key, found, write.value) : await this.remove(key, undefined);
      if (result.outcome === 'ok') {
        const changed = !('changed' in result) || result.changed;
        return { outcome: 'ok', revision: changed ? result.revision : this.#revision, changed };
      }
      if (result.outcome === 'missing') return { outcome: 'ok', revision: result.revision, changed: false };
      if (attempt === ATTEMPTS) throw outrun(key);
    }
  }

  get #revision(): Revision {
    return this.#mirror.storage.revision();
  }

  #item(key: string): KeyValue | undefined {
    const result = this.#mirror.storage.get(key);
    return result.outcome === 'found' ? result.item : undefined;
  }

  #shows(row: Row, value: Uint8Array, key: string): boolean {
    return equalJson(this.#codec.decode(this.#codec.encode(row.object), key), this.#codec.decode(value, key));
  }

  /**
   * Makes a write. If the write throws, the row is read again: `resolve` gets the row and returns the result if the row
   * shows the write. Otherwise the outcome is unknown, because the database may still be working on the write.
   */
  async #attempt<R>(
    key: string,
    write: () => Promise<R>,
    resolve: (row: Row | undefined) => R | undefined,
  ): Promise<R> {
    try {
      return await write();
    } catch (caught) {
      if (isStatusError(caught)) throw caught;
      const failure = toError(caught);
      const result = await this.#rows.get(this.#codec.rowOf(key)).then(resolve, () => undefined);
      if (result !== undefined) return result;
      throw new StorageError('Unknown', `the row could not be written: ${failure.message}`, { cause: failure, key });
    }
  }

  /** Called when the rows have the new state. Resolves with the revision at which the mirror has it. */
  async #committed(key: string, value: Uint8Array, version: string): Promise<Revision> {
    const mirror = this.#mirror;
    if (this.#rows.sequenced !== true) {
      mirror.put(key, value, version);
      return this.#revision;
    }
    const revision = sequenceNumber(version);
    await mirror.reach(revision);
    return revision;
  }

  async #removed(key: string, version: string): Promise<Revision> {
    const mirror = this.#mirror;
    if (this.#rows.sequenced !== true) {
      mirror.remove(key);
      return this.#revision;
    }
    return mirror.until(() => mirror.version(key) !== version, `the removal of version ${version}`);
  }

  /**
   * Called when the rows refused a write because they have another state than the mirror. Updates the mirror. Throws
   * Unavailable if the rows still return the state that they refused.
   */
  async #refused(key: string, before: string | undefined, result: string): Promise<void> {
    const mirror = this.#mirror;
    if (this.#rows.sequenced === true) {
      await mirror.until(() => mirror.version(key) !== before, `a change after '${result}'`);
      return;
    }
    await this.#refresh(key);
    if (before === undefined || mirror.version(key) !== before) return;
    throw new StorageError('Unavailable', `the rows answered '${result}' but show the expected version`, { key });
  }
}

function outrun(key: string): StorageError {
  return new StorageError('Unavailable', `other writers changed the row ${ATTEMPTS} times`, { key });
}
