/**
 * The lock of a data folder, which lets one process at a time use the folder. Node has no file locks, so the lock is a
 * file. It names its holder by process id, start time of the process and boot id of the machine, which together
 * identify a process forever. It also names its own path and inode, because a copy of the folder has a copy of the lock
 * file.
 * Invariant: the lock of a live process is never taken over. The lock of a process that has ended is taken over, and so
 * is a copy of a lock. The lock does not work between PID namespaces, whose processes cannot see each other. There the
 * store detects the other process by the revision that it checks before each commit.
 */
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError, toError } from '../../base/errors.ts';
import { folderError } from './folder-error.ts';

interface Holder {
  readonly pid: number;
  /** The start of the process in clock ticks since boot; empty if the system does not provide it. */
  readonly started: string;
  readonly boot: string;
  /** The resolved path of the lock file, and its device and inode. Absent in locks of older versions. */
  readonly path?: string;
  readonly inode?: string;
}

const ATTEMPTS = 100;

/** Takes the lock, or throws a ConfigError that names the holder. The returned function releases the lock. */
export function lockFolder(folder: string): () => void {
  try {
    return takeLock(folder);
  } catch (caught) {
    throw folderError(toError(caught), folder);
  }
}

function takeLock(folder: string): () => void {
  const path = join(folder, 'lock');
  const own: Holder = { pid: process.pid, started: startOf(process.pid), boot: bootId() };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(path, own)) return () => release(path, own);
    const holder = read(path);
    if (holder === 'gone') continue;
    if (holder !== 'unreadable' && holds(holder, path)) throw held(folder, path, holder);
    breakLock(path, own, holder);
  }
  throw new ConfigError(`data folder ${folder}: other processes keep taking its lock ${path}`);
}

function held(folder: string, path: string, holder: Holder): ConfigError {
  return new ConfigError(
    holder.pid === process.pid
      ? `data folder ${folder} is already open in this process (pid ${holder.pid})`
      : `data folder ${folder} is in use by process ${holder.pid}: stop it first, or choose another folder (lock file ${path})`,
  );
}

// Removes a stale lock. Two processes may find the same stale lock: only the process that creates the `lock.break` file
// may remove the lock, after it has checked the lock again. So no process removes a lock that another process has just
// taken.
function breakLock(path: string, own: Holder, seen: Holder | 'unreadable'): void {
  const guard = `${path}.break`;
  if (!create(guard, own)) {
    const other = read(guard);
    if (other === 'gone') return;
    if (other === 'unreadable' || !holds(other, guard)) remove(guard);
    else pause();
    return;
  }
  try {
    // A lock file that its holder is still writing is unreadable for a moment.
    if (seen === 'unreadable') pause();
    const now = read(path);
    if (now !== 'gone' && (now === 'unreadable' || !holds(now, path))) remove(path);
  } finally {
    remove(guard);
  }
}

function create(path: string, holder: Holder): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (caught) {
    if ((caught as { code?: string }).code === 'EEXIST') return false;
    throw caught;
  }
  try {
    const place = { path: realpathSync(path), inode: inodeOf(fstatSync(file, { bigint: true })) };
    writeSync(file, `${JSON.stringify({ ...holder, ...place })}\n`);
  } finally {
    closeSync(file);
  }
  return true;
}

function read(path: string): Holder | 'gone' | 'unreadable' {
  try {
    const { pid, started, boot, ...place } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof boot !== 'string') return 'unreadable';
    return { pid: pid as number, started, boot, ...place };
  } catch (caught) {
    if ((caught as { code?: string }).code === 'ENOENT') return 'gone';
    if (caught instanceof SyntaxError) return 'unreadable';
    throw caught;
  }
}

function release(path: string, own: Holder): void {
  const holder = read(path);
  if (typeof holder === 'object' && holder.pid === own.pid && holder.started === own.started) remove(path);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (caught) {
    if ((caught as { code?: string }).code !== 'ENOENT') throw caught;
  }
}

/** Whether the holder is alive and holds the lock file at `path`, rather than a file that was copied to `path`. */
function holds(holder: Holder, path: string): boolean {
  return isAlive(holder) && !isCopy(holder, path);
}

/**
 * Whether the lock file was copied together with its folder. A copy differs in path and in inode. One difference is not
 * enough: a renamed folder has another path, and some file systems do not keep inode numbers.
 */
function isCopy(holder: Holder, path: string): boolean {
  if (holder.path === undefined || holder.inode === undefined) return false;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return false;
  return holder.inode !== inodeOf(found) && holder.path !== realpathSync(path);
}

function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function isAlive(holder: Holder): boolean {
  if (holder.boot !== bootId()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (caught) {
    if ((caught as { code?: string }).code !== 'EPERM') return false;
  }
  const started = startOf(holder.pid);
  return started === holder.started || started === '' || holder.started === '';
}

/**
 * Returns the start time of a process, field 22 of /proc/<pid>/stat; empty if the system does not provide it. The
 * command name, field 2, may contain spaces and parentheses.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie process has released its files, so it counts as ended.
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
