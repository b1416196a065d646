/** Writes one record and its index entry, inside a write transaction of LMDB. */
import { StorageError } from '../errors.ts';
import type { Database } from './database.ts';
import { revisionOf } from './layout.ts';
import { INDEX_SIZE, type NewRecord, recordSize, writeIndex, writeRecord } from './record.ts';
import type { Scratch } from './scratch.ts';

const APPEND = { append: true };

/**
 * Writes the record and points the index entry of its key to it. Returns the size of the record. With `noOverwrite`,
 * returns 0 and writes nothing if the key is already in the index; LMDB checks this while it inserts. Throws Corrupt if
 * the log has a record at or after the position.
 */
export function storeRecord(
  { log, keys }: Pick<Database, 'log' | 'keys'>,
  scratch: Scratch,
  record: NewRecord,
  options?: { readonly noOverwrite: boolean },
): number {
  const { key, position } = record;
  const keyBytes = byteLength(key);
  const size = recordSize(keyBytes, record.value.byteLength);
  const chunk = scratch.take(size + INDEX_SIZE);
  const checksum = writeRecord(chunk, 0, record, keyBytes);
  writeIndex(chunk, size, position, record.deleted, checksum);
  chunk.start = size;
  chunk.end = size + INDEX_SIZE;
  if (!keys.putSync(key, chunk, options)) {
    if (options === undefined)
      throw new StorageError('Corrupt', `LMDB did not take key ${JSON.stringify(key)}`, { key });
    return 0;
  }
  chunk.start = 0;
  chunk.end = size;
  if (!log.putSync(position, chunk, APPEND)) {
    const message = `the log already holds a record at or after revision ${revisionOf(position)}, which is not given yet`;
    throw new StorageError('Corrupt', message, { key });
  }
  return size;
}

function byteLength(key: string): number {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) >= 0x80) return Buffer.byteLength(key);
  return key.length;
}
