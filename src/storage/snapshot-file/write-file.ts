/** Snapshot files on disk, written page by page. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_SIZE } from './bbolt-writer.ts';
import { type WriteSnapshotOptions, type WrittenRevision, writePages } from './write-snapshot.ts';

/** Pages are written together up to this size. */
const CHUNK = 1 << 20;

/**
 * Writes a new file with mode 0600, with its hash, and syncs it. Returns its size. Throws the error of the file system,
 * and leaves an incomplete file then.
 */
export function writeSnapshotFile(
  path: string,
  revisions: Iterable<WrittenRevision>,
  options: Omit<WriteSnapshotOptions, 'hash'>,
): number {
  const file = openSync(path, 'wx+', 0o600);
  try {
    let size = 2 * PAGE_SIZE;
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    const flush = (): void => {
      const chunk = Buffer.concat(waiting);
      writeAll(file, chunk, size);
      size += chunk.length;
      waiting = [];
      bytes = 0;
    };
    const head = writePages(revisions, options, (page) => {
      waiting.push(page);
      bytes += page.byteLength;
      if (bytes >= CHUNK) flush();
    });
    flush();
    writeAll(file, head, 0);
    const hash = hashOf(file, size);
    writeAll(file, hash, size);
    fsyncSync(file);
    return size + hash.length;
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength; )
    done += writeSync(file, bytes, done, bytes.byteLength - done, position + done);
}

function hashOf(file: number, size: number): Uint8Array {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK);
  for (let at = 0; at < size; ) {
    const count = readSync(file, chunk, 0, Math.min(CHUNK, size - at), at);
    hash.update(chunk.subarray(0, count));
    at += count;
  }
  return hash.digest();
}
