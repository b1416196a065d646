/**
 * Checks that a commit has room on the disk. LMDB prints to standard error when one of its writes fails, and Node
 * cannot prevent that, so a commit that would not fit is refused before LMDB writes. The check is one `statfs`; while
 * the disk has plenty of room, its answer is used for the commits of the next second. On a disk that is nearly full the
 * data file is first extended with zeros, which LMDB's pages then overwrite.
 * Invariant: the extension starts behind the last page of LMDB, and a failed extension is removed again.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';

export interface DiskRoomOptions {
  readonly dataFile: string;
  readonly pageSize: number;
  /** Without a clock every check calls `freeBytes`. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Returns the free bytes of the disk. Default: as `statfs` reports them. */
  readonly freeBytes?: (dataFile: string) => number;
  /** Returns the number of the last page that LMDB uses. */
  readonly lastPage: () => number;
}

/** The size of a commit, for the estimate of the pages that it may write. */
export interface CommitSize {
  readonly requests: number;
  /** The bytes of the values that the commit writes. */
  readonly bytes: number;
  /** The number of records that are pruned. */
  readonly pruned: number;
}

/** The pages that every commit may write: the paths of the trees, the free list and the state. */
const PAGES_PER_COMMIT = 64;
/** The leaf pages of the log and the indexes that a request may copy. */
const PAGES_PER_REQUEST = 2;
/** A disk with less free bytes than this is nearly full. */
const NEARLY_FULL = 16 * 2 ** 20;
/** A disk with more free bytes than this has plenty of room. Other programs do not fill half of it within `RECENT_MS`. */
const PLENTY = 2 ** 30;
/** The milliseconds for which an answer of `statfs` is used on a disk with plenty of room. */
const RECENT_MS = 1000;
const CHUNK = 2 ** 20;

export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #limit: number = fileSizeLimit();
  #failed = false;
  /** The bytes that commits may write until `#staleAt` without another `statfs`. */
  #known = 0;
  #staleAt = 0;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** Called before each commit. Returns an error if the commit may not fit on the disk. */
  check(size: CommitSize): Error | undefined {
    // On Windows the file has the size of the map from the start, and a write inside of the file needs no more room.
    if (process.platform === 'win32') return undefined;
    const { dataFile, pageSize, clock, freeBytes = statfsFree } = this.#options;
    const pages = PAGES_PER_COMMIT + PAGES_PER_REQUEST * (size.requests + size.pruned);
    const need = pages * pageSize + 2 * size.bytes;
    if (need <= this.#known && clock !== undefined && clock.monotonic() < this.#staleAt) {
      this.#known -= need;
      return undefined;
    }
    this.#known = 0;
    try {
      const free = Math.min(freeBytes(dataFile), this.#belowLimit());
      if (!this.#failed && free >= need + NEARLY_FULL) {
        if (free >= PLENTY && clock !== undefined) {
          this.#known = free / 2 - need;
          this.#staleAt = clock.monotonic() + RECENT_MS;
        }
        return undefined;
      }
      this.#extend(need);
      this.#failed = false;
      return undefined;
    } catch (caught) {
      return toError(caught);
    }
  }

  /** Called when LMDB could not write. `statfs` does not show quotas, so the next check extends the file. */
  failed(): void {
    this.#failed = true;
    this.#known = 0;
  }

  /** Returns how much the file may grow until it reaches the limit of file sizes. */
  #belowLimit(): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return this.#limit;
    return this.#limit - this.#end();
  }

  /** Returns the end of the last page that LMDB uses. */
  #end(): number {
    return (this.#options.lastPage() + 1) * this.#options.pageSize;
  }

  /** Extends the file to `need` bytes after the last page of LMDB, unless the file is that long. */
  #extend(need: number): void {
    const end = this.#end() + need;
    const file = openSync(this.#options.dataFile, 'r+');
    try {
      const { size } = fstatSync(file);
      if (size >= end) return;
      try {
        const zeros = Buffer.alloc(Math.min(CHUNK, end - size));
        for (let at = size; at < end; ) at += writeSync(file, zeros, 0, Math.min(zeros.length, end - at), at);
        fsyncSync(file);
      } catch (caught) {
        truncate(file, size);
        throw caught;
      }
    } finally {
      closeSync(file);
    }
  }
}

function statfsFree(dataFile: string): number {
  const { bavail, bsize } = statfsSync(dataFile);
  return bavail * bsize;
}

/** Returns the limit of file sizes of this process (`ulimit -f`); infinity if the system does not tell. */
function fileSizeLimit(): number {
  try {
    const found = /^Max file size\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns whether the file was truncated. On failure the file is only longer than necessary. */
function truncate(file: number, size: number): boolean {
  try {
    ftruncateSync(file, size);
    return true;
  } catch {
    return false;
  }
}
