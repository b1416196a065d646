/**
 * The LMDB environment and the reads of single entries. Invariant: a read sees all that LMDB has committed, which may
 * be ahead of what the store has acknowledged: callers say up to which revision they look.
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

/** The part of lmdb's Database that is used here, typed for raw bytes. */
export interface Table<K> {
  putSync(
    key: K,
    value: Buffer | Chunk,
    options?: { readonly append?: boolean; readonly noOverwrite?: boolean },
  ): boolean;
  removeSync(key: K): boolean;
  /** Valid until the next read; `lastSize` bytes of it count. */
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
  resetReadTxn(): void;
  close(): Promise<void>;
}

const STATE = 'state';
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
   * Loads lmdb and opens its file; `overlappingSync: false` makes a commit's promise settle after the data and the meta
   * page are synced.
   */
  static async open(file: string): Promise<Database> {
    const { open } = await import('lmdb');
    const options = {
      path: file,
      noSubdir: true,
      overlappingSync: false,
      // We hand over one transaction at a time; lmdb's own batching would add a promise that nobody can catch when a
      // commit fails.
      eventTurnBatching: false,
      encoding: 'binary',
      permissionsMode: FILE_MODE,
      maxDbs: 8,
      // Address space, not disk: lmdb grows the map beyond it, but each growth leaves the old map mapped. Windows would
      // grow the file.
      ...(process.platform === 'win32' ? {} : { mapSize: MAP_BYTES }),
    };
    return new Database(open(options as unknown as Parameters<typeof open>[0]) as unknown as Root);
  }

  state(): StoreState | undefined {
    const bytes = this.meta.getBinary(STATE);
    return bytes === undefined ? undefined : readState(bytes);
  }

  putStateSync(bytes: Buffer): void {
    this.meta.putSync(STATE, bytes);
  }

  /**
   * Runs `write` inside a write transaction and resolves when that is committed and synced. One call at a time: lmdb
   * would join calls of the same turn into one transaction. A throw of `write` rejects with what was thrown, but undoes
   * nothing.
   */
  commit(write: () => void): Promise<void> {
    return this.#root.transaction(write);
  }

  /** The key's latest entry, a deletion included. */
  head(key: string): IndexEntry | undefined {
    try {
      const bytes = this.keys.getBinaryFast(key);
      return bytes === undefined ? undefined : readIndex(bytes, this.keys.lastSize, key);
    } catch (caught) {
      throw readError(caught, key);
    }
  }

  /** The record at a position; `key` is whose it must be. Undefined if there is none. */
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

  /** The last position in the log that LMDB has committed; 0 for an empty log. */
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

  /** Makes the next read see LMDB's latest commit. */
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
