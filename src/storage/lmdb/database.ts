/**
 * The LMDB environment, its tables, and reads of single entries. A read sees all commits of LMDB, including those that
 * the store has not acknowledged yet: callers must check the revision.
 */
import { isKeelsonError } from '../../base/errors.ts';
import type { KeyValue, Revision } from '../storage.ts';
import { FILE_MODE } from './folder.ts';
import {
  type ExpiryKey,
  expiryKeys,
  type KeyCodec,
  type Position,
  positionKeys,
  revisionOf,
  stringKeys,
} from './layout.ts';
import { mediumError } from './medium-error.ts';
import { quietCommits } from './quiet-commits.ts';
import {
  claimedKey,
  type IndexEntry,
  type LogRecord,
  readIndex,
  readRecord,
  readState,
  type StoreState,
} from './record.ts';
import type { Chunk } from './scratch.ts';

export interface RangeOptions<K> {
  readonly start: K | undefined;
  readonly end: K | undefined;
  readonly limit?: number;
  readonly exclusiveStart?: boolean;
}

/** The methods of lmdb's Database that the driver uses, typed for raw bytes. */
export interface Table<K> {
  putSync(
    key: K,
    value: Buffer | Chunk,
    options?: { readonly append?: boolean; readonly noOverwrite?: boolean },
  ): boolean;
  removeSync(key: K): boolean;
  /** The returned buffer is valid until the next read, and has `lastSize` valid bytes. */
  getBinaryFast(key: K): Buffer | undefined;
  getBinary(key: K): Buffer | undefined;
  getRange(options: RangeOptions<K>): Iterable<{ readonly key: K; readonly value: Buffer }>;
  getKeys(options: RangeOptions<K>): Iterable<K>;
  getKeysCount(options: RangeOptions<K>): number;
  readonly lastSize: number;
}

interface Root extends Table<string> {
  openDB(options: object): unknown;
  transaction(action: () => void): Promise<void>;
  /**
   * Runs the action in a write transaction, commits and returns the result. Joins the open transaction, if there is
   * one.
   */
  transactionSync<T>(action: () => T, flags: number): T;
  resetReadTxn(): void;
  close(): Promise<void>;
  readerCheck(): number;
  getStats(): { readonly pageSize: number };
  readonly env: Parameters<typeof quietCommits>[0] & { info(): { readonly lastPageNumber: number } };
}

const STATE = 'state';
const IMPORTED = 'imported';
/** lmdb's flag `SYNCHRONOUS_COMMIT`, without child transactions. lmdb itself uses it to open a table. */
const SYNCHRONOUS = 2;
const MAP_BYTES = 2 ** 30;

export class Database {
  readonly log: Table<Position>;
  readonly keys: Table<string>;
  readonly dead: Table<string>;
  readonly expiry: Table<ExpiryKey>;
  readonly meta: Table<string>;
  readonly #root: Root;

  private constructor(root: Root) {
    const table = <K>(name: string, keyEncoder: KeyCodec<K>): Table<K> =>
      root.openDB({ name, encoding: 'binary', keyEncoder }) as Table<K>;
    this.#root = root;
    this.log = table('log', positionKeys);
    this.keys = table('keys', stringKeys);
    this.dead = table('dead', stringKeys);
    this.expiry = table('expiry', expiryKeys);
    this.meta = table('meta', stringKeys);
  }

  /**
   * Loads lmdb and opens its file. `overlappingSync: false` makes the promise of a commit settle after the data and the
   * meta page are synced.
   */
  static async open(file: string): Promise<Database> {
    const { open } = await import('lmdb');
    const options = {
      path: file,
      noSubdir: true,
      overlappingSync: false,
      // The driver commits one transaction at a time. lmdb's batching would create a promise whose rejection cannot be
      // handled when a commit fails.
      eventTurnBatching: false,
      encoding: 'binary',
      permissionsMode: FILE_MODE,
      maxDbs: 8,
      // Reserves address space, not disk space. lmdb grows a smaller map on demand, but each growth keeps the old map
      // mapped. Not on Windows, where the file would grow to this size.
      ...(process.platform === 'win32' ? {} : { mapSize: MAP_BYTES }),
    };
    const root = open(options as unknown as Parameters<typeof open>[0]) as unknown as Root;
    quietCommits(root.env);
    // One transaction creates all tables of a new file. Otherwise each table would be committed and synced on its own.
    return root.transactionSync(() => new Database(root), SYNCHRONOUS);
  }

  state(): StoreState | undefined {
    const bytes = this.meta.getBinary(STATE);
    return bytes === undefined ? undefined : readState(bytes);
  }

  putStateSync(bytes: Buffer): void {
    this.meta.putSync(STATE, bytes);
  }

  /** See `Storage.imported`. */
  isImported(): boolean {
    return this.meta.getBinary(IMPORTED) !== undefined;
  }

  putImportedSync(): void {
    this.meta.putSync(IMPORTED, Buffer.from([1]));
  }

  /**
   * Runs `write` inside a write transaction and resolves when the transaction is committed and synced. Must not be
   * called while a commit is in flight, because lmdb joins the calls of one turn into one transaction. If `write`
   * throws, the promise rejects with the error, but the writes before it are not rolled back.
   */
  commit(write: () => void): Promise<void> {
    return this.#root.transaction(write);
  }

  /** Returns the index entry of the key's latest version, which may be a deletion. */
  head(key: string): IndexEntry | undefined {
    try {
      const bytes = this.keys.getBinaryFast(key);
      return bytes === undefined ? undefined : readIndex(bytes, this.keys.lastSize, key);
    } catch (caught) {
      throw readError(caught, key);
    }
  }

  /**
   * Returns the record at a position; undefined if there is none. Throws Corrupt if the record does not belong to
   * `key`.
   */
  record(position: Position, key?: string): LogRecord | undefined {
    try {
      const bytes = this.log.getBinaryFast(position);
      if (bytes === undefined) return undefined;
      const size = this.log.lastSize;
      return readRecord(bytes, size, position, key ?? claimedKey(bytes, size));
    } catch (caught) {
      throw readError(caught, key);
    }
  }

  /** Returns the last position in the log; 0 for an empty log. */
  lastPosition(): Position {
    for (const position of this.log.getKeys({
      start: undefined,
      end: undefined,
      limit: 1,
      reverse: true,
    } as RangeOptions<number>)) {
      return position;
    }
    return 0;
  }

  get pageSize(): number {
    return this.#root.getStats().pageSize;
  }

  /** Returns the number of the last page that LMDB uses. */
  lastPage(): number {
    return this.#root.env.info().lastPageNumber;
  }

  /**
   * Frees the reader slots of processes that have ended, such as an interrupted backup, because LMDB reuses no page
   * that a reader may need. Returns the number of slots.
   */
  freeDeadReaders(): number {
    return this.#root.readerCheck();
  }

  /** Makes the next read see the latest commit of LMDB. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  close(): Promise<void> {
    return this.#root.close();
  }
}

export function itemOf(record: LogRecord): KeyValue {
  return { key: record.key, value: record.value, revision: revisionOf(record.position), created: record.created };
}

export function isVisible(position: Position, revision: Revision): boolean {
  return revisionOf(position) <= revision;
}

export function readError(caught: unknown, key?: string): Error {
  if (isKeelsonError(caught)) return caught;
  return mediumError(caught, key === undefined ? 'reading the store' : `reading key ${JSON.stringify(key)}`);
}
