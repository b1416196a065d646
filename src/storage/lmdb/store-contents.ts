/**
 * Reads all contents of a store from a data folder, and writes them to a new folder, for backups and moves. Times to
 * live are kept.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { waitForNextTurn } from '../../base/next-turn.ts';
import { checkValue } from '../checks.ts';
import { LIMITS } from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../keys.ts';
import type { Revision } from '../storage.ts';
import { Database } from './database.ts';
import { DiskRoom } from './disk-room.ts';
import { DATA_FILE, writeMark } from './folder.ts';
import { FORMAT_VERSION, positionOf, revisionOf } from './layout.ts';
import { mediumError, openError } from './medium-error.ts';
import { readIndex, type StoreState, writeState } from './record.ts';
import { Scratch } from './scratch.ts';
import { StateReader } from './state-reader.ts';
import { storeRecord } from './store-record.ts';
import { openDatabase } from './with-database.ts';

export interface StoredKey extends StoredKeyInfo {
  readonly value: Uint8Array;
}

/** A key without its value. */
export interface StoredKeyInfo {
  readonly key: string;
  readonly revision: Revision;
  readonly created: Revision;
  /** The time in milliseconds at which the key expires; 0 means never. */
  readonly expires: number;
}

export interface StoreContents {
  readonly revision: Revision;
  /** See `Storage.imported`. */
  readonly imported: boolean;
  readonly keys: readonly StoredKey[];
}

/** The most entries that are read or written in one turn of the event loop. */
const SLICE = 1000;
/** The most bytes of values in one commit. */
const SLICE_BYTES = 8 * 2 ** 20;
const NOTHING: Buffer = Buffer.alloc(1);

/**
 * Reads the store of a folder, in key order, and checks each record. Holds the lock of the folder while it reads.
 * Throws ConfigError if the folder is in use or has no store, and StorageError(Corrupt) if a record is damaged.
 */
export async function readStore(path: string): Promise<StoreContents> {
  const store = await openStore(path);
  try {
    const { revision, imported } = store;
    return { revision, imported, keys: store.keys.map((each) => ({ ...each, value: store.value(each.key) })) };
  } finally {
    await store.close();
  }
}

/** The store of a folder, whose lock is held until `close`. Values are read on demand. */
export interface OpenStore extends Omit<StoreContents, 'keys'> {
  /** In key order. */
  readonly keys: readonly StoredKeyInfo[];
  /** The value of one of `keys`. Throws StorageError `Corrupt` if its record is damaged. */
  value(key: string): Uint8Array;
  close(): Promise<void>;
}

/** Opens the store of a folder and checks each record. Throws like `readStore`. */
export async function openStore(path: string): Promise<OpenStore> {
  const full = resolve(path);
  if (!existsSync(join(full, DATA_FILE))) throw new ConfigError(`data folder ${full} holds no store`);
  const { database, close } = await openDatabase(full);
  try {
    const state = database.state();
    if (state === undefined)
      throw new StorageError('Corrupt', `data folder ${full} has lost the record of its own state`);
    const reader = new StateReader(database);
    const keys = await readKeys(database, reader);
    const value = (key: string): Uint8Array => {
      const head = database.head(key);
      if (head === undefined) throw new StorageError('Corrupt', `the index entry of ${key} is gone`, { key });
      return reader.latest(key, head).value;
    };
    return { revision: state.revision, imported: database.isImported(), keys, value, close };
  } catch (caught) {
    await close();
    throw openError(caught, full);
  }
}

async function readKeys(database: Database, reader: StateReader): Promise<readonly StoredKeyInfo[]> {
  const found: StoredKeyInfo[] = [];
  let seen = 0;
  for (const { key, value } of database.keys.getRange({ start: undefined, end: undefined })) {
    if (++seen % SLICE === 0) await waitForNextTurn();
    const head = readIndex(value, value.length, key);
    if (head.deleted) continue;
    const { created, expires } = reader.latest(key, head);
    found.push({ key, revision: revisionOf(head.position), created, expires });
  }
  return found;
}

export interface NewStore {
  /** In ascending order of their revisions, as one list or in batches. At most 128 keys may share a revision. */
  readonly keys: readonly StoredKey[] | AsyncIterable<readonly StoredKey[]>;
  /** The revision of the new store, at or above the revisions of all keys. The new store has no history before it. */
  readonly revision: Revision;
  readonly imported: boolean;
  readonly now: number;
  /** Called after each commit with the number of keys written so far. */
  onProgress?(done: number): void;
}

/**
 * Creates a folder with a new store. Every key keeps its revision. Throws StorageError(NoSpace) if the disk is full,
 * and StorageError(InvalidArgument) for a key or a value that a store cannot have. After a failure the folder is
 * incomplete.
 */
export async function writeStore(path: string, store: NewStore): Promise<void> {
  const dataFile = join(path, DATA_FILE);
  let database: Database | undefined;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    database = await Database.open(dataFile);
    await fill(database, dataFile, store);
    await database.close();
    database = undefined;
    writeMark(path);
  } catch (caught) {
    throw mediumError(caught, `writing ${path}`);
  } finally {
    await database?.close();
  }
}

async function fill(database: Database, dataFile: string, store: NewStore): Promise<void> {
  const { keys, revision, imported, now } = store;
  const room = new DiskRoom({ dataFile, pageSize: database.pageSize, lastPage: () => database.lastPage() });
  const scratch = new Scratch();
  const last = { revision: 0, place: 0 };
  let written = 0;
  for await (const batch of Symbol.asyncIterator in keys ? keys : [keys]) {
    for (let done = 0; done < batch.length; ) {
      const slice = takeSlice(batch, done);
      const problem = room.check({ requests: slice.length, bytes: bytesOf(slice), pruned: 0 });
      if (problem !== undefined) throw problem;
      await database.commit(() => {
        for (const each of slice) put(database, scratch, each, { now, place: placeOf(each, last) });
      });
      done += slice.length;
      written += slice.length;
      store.onProgress?.(written);
    }
  }
  const state: StoreState = { format: FORMAT_VERSION, revision, horizon: revision, floor: revision, logBytes: 0 };
  await database.commit(() => {
    if (imported) database.putImportedSync();
    database.putStateSync(writeState(state));
  });
}

function takeSlice(keys: readonly StoredKey[], from: number): readonly StoredKey[] {
  let end = from;
  for (let bytes = 0; end < keys.length && end - from < SLICE && bytes < SLICE_BYTES; end++)
    bytes += (keys[end] as StoredKey).value.byteLength;
  return keys.slice(from, end);
}

function bytesOf(keys: readonly StoredKey[]): number {
  return keys.reduce((sum, { value }) => sum + value.byteLength, 0);
}

/** The index of the key among the keys of its revision. */
function placeOf({ key, revision }: StoredKey, last: { revision: Revision; place: number }): number {
  last.place = revision === last.revision ? last.place + 1 : 0;
  last.revision = revision;
  if (last.place >= LIMITS.transactionOperations)
    throw new StorageError(
      'InvalidArgument',
      `revision ${revision} has more than ${LIMITS.transactionOperations} keys, which a data folder cannot hold`,
      { key },
    );
  return last.place;
}

function put(
  database: Database,
  scratch: Scratch,
  { key, value, revision, created, expires }: StoredKey,
  { now, place }: { readonly now: number; readonly place: number },
): void {
  checkKey(key);
  checkValue(key, value);
  const position = positionOf(revision, place);
  const origin = { deleted: false, replacesPosition: 0, replacesDeleted: false };
  storeRecord(database, scratch, { key, value, position, created, expires, time: now, ...origin });
  if (expires !== 0) database.expiry.putSync({ at: expires, position }, NOTHING);
}
