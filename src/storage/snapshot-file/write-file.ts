/** Writes snapshot files to disk, page by page. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_SIZE } from './bbolt-writer.ts';
import { SnapshotWriter, type WriteSnapshotOptions, type WrittenRevision } from './write-snapshot.ts';

/** Pages are buffered up to this size before they are written. */
const CHUNK = 1 << 20;

/**
 * Writes a new file with mode 0600 and with its hash, and syncs it. Returns the size of the file. On failure, throws
 * the error of the file system and leaves an incomplete file.
 */
export function writeSnapshotFile(
  path: string,
  revisions: Iterable<WrittenRevision>,
  options: Omit<WriteSnapshotOptions, 'hash'>,
): number {
  const file = new SnapshotFile(path, options.perLeaf);
  try {
    for (const each of revisions) file.add(each);
    return file.end(options);
  } finally {
    file.close();
  }
}

/** A new snapshot file whose revisions are added one after the other. Methods throw the error of the file system. */
export class SnapshotFile {
  readonly #file: number;
  readonly #writer: SnapshotWriter;
  #size = 2 * PAGE_SIZE;
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /** Creates the file with mode 0600. It is incomplete until `end`. */
  constructor(path: string, perLeaf?: number) {
    this.#file = openSync(path, 'wx+', 0o600);
    this.#writer = new SnapshotWriter((page) => {
      this.#waiting.push(page);
      this.#bytes += page.byteLength;
      if (this.#bytes >= CHUNK) this.#flush();
    }, perLeaf);
  }

  add(each: WrittenRevision): void {
    this.#writer.add(each);
  }

  /** Writes the remaining pages and the hash, and syncs the file. Returns the size of the file. */
  end(options: Pick<WriteSnapshotOptions, 'compacted' | 'leases'>): number {
    const head = this.#writer.end(options);
    this.#flush();
    writeAll(this.#file, head, 0);
    const hash = hashOf(this.#file, this.#size);
    writeAll(this.#file, hash, this.#size);
    fsyncSync(this.#file);
    return this.#size + hash.length;
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    const chunk = Buffer.concat(this.#waiting);
    writeAll(this.#file, chunk, this.#size);
    this.#size += chunk.length;
    this.#waiting = [];
    this.#bytes = 0;
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
