/**
 * The audit log file: one event per line, rotated by size. Rotated files have the reference's names and are removed by
 * its rules.
 * Invariant: when `write` returns, the line is in the file (or in the pipe). Rotation never loses or splits a line.
 */
import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Clock, systemClock } from '../../base/clock.ts';
import { BugError, ConfigError, toError } from '../../base/errors.ts';

export interface AuditLogOptions {
  /** `-` is standard output, which is never rotated. */
  readonly path: string;
  /** The file is rotated before it exceeds this size; 0 for never. */
  readonly maxSizeMb: number;
  /** Rotated files older than this are removed; 0 for never. */
  readonly maxAgeDays: number;
  /** The oldest rotated files beyond this number are removed; 0 for never. */
  readonly maxBackups: number;
  /** Compresses rotated files with gzip. */
  readonly compress: boolean;
  readonly clock?: Clock;
  /** Called when a rotated file cannot be compressed or removed; the next rotation tries again. */
  readonly onProblem: (error: Error) => void;
}

export interface AuditLog {
  /** Writes one event with its line end. Throws if that fails; the log stays usable for the next event. */
  write(line: Uint8Array): void;
  /** Closes the file and waits for running compression. Idempotent. */
  stop(): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
const DAY = 86_400_000;
const STANDARD_OUTPUT = 1;
/** The reference's file mode: only the owner may read it. */
const FILE_MODE = 0o600;
const compressGzip = promisify(gzip);

/** Opens the log and creates its folder. Throws ConfigError naming the path if it cannot be opened. */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  if (options.path === '-') return new AuditLogFile(options, STANDARD_OUTPUT, 0);
  try {
    await mkdir(dirname(options.path), { recursive: true });
    const descriptor = openSync(options.path, 'a', FILE_MODE);
    return new AuditLogFile(options, descriptor, fstatSync(descriptor).size);
  } catch (caught) {
    const cause = toError(caught);
    throw new ConfigError(`--audit-log-path: cannot open ${options.path}: ${cause.message}`, { cause });
  }
}

class AuditLogFile implements AuditLog {
  readonly #options: AuditLogOptions;
  readonly #clock: Clock;
  #descriptor: number | undefined;
  #size: number;
  #tidying: Promise<void> = Promise.resolve();

  constructor(options: AuditLogOptions, descriptor: number, size: number) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#descriptor = descriptor;
    this.#size = size;
  }

  write(line: Uint8Array): void {
    this.#rotateBefore(line.length);
    if (this.#descriptor === undefined) throw new BugError('an audit event was written after the log was closed');
    for (let at = 0; at < line.length; ) at += writeSync(this.#descriptor, line, at);
    this.#size += line.length;
  }

  async stop(): Promise<void> {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined && descriptor !== STANDARD_OUTPUT) closeSync(descriptor);
    await this.#tidying;
  }

  #rotateBefore(next: number): void {
    const { path, maxSizeMb } = this.#options;
    if (path === '-' || maxSizeMb === 0 || this.#descriptor === undefined) return;
    if (this.#size === 0 || this.#size + next <= maxSizeMb * MEGABYTE) return;
    renameSync(path, this.#freeBackupName());
    const fresh = openSync(path, 'a', FILE_MODE);
    closeSync(this.#descriptor);
    this.#descriptor = fresh;
    this.#size = 0;
    chmodSync(path, FILE_MODE);
    this.#tidying = this.#tidying.then(() => this.#tidy()).catch((caught) => this.#options.onProblem(toError(caught)));
  }

  /** Returns an unused name, such as `audit-2026-01-02T03-04-05.678.log` for `audit.log`. */
  #freeBackupName(): string {
    for (let at = this.#clock.now(); ; at++) {
      const name = this.#backupName(at);
      if (!exists(name) && !exists(`${name}.gz`)) return name;
    }
  }

  #backupName(at: number): string {
    const { path } = this.#options;
    const extension = extname(path);
    const stamp = new Date(at).toISOString().slice(0, 23).replaceAll(':', '-');
    return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
  }

  async #tidy(): Promise<void> {
    const { maxBackups, maxAgeDays, compress } = this.#options;
    const oldest = this.#clock.now() - maxAgeDays * DAY;
    for (const [index, backup] of this.#backups().entries()) {
      const surplus = maxBackups > 0 && index >= maxBackups;
      const aged = maxAgeDays > 0 && backup.at < oldest;
      if (surplus || aged) unlinkSync(backup.path);
      else if (compress && !backup.path.endsWith('.gz')) {
        const draft = `${backup.path}.gz`;
        await writeFile(draft, await compressGzip(await readFile(backup.path)), { mode: FILE_MODE });
        await unlink(backup.path);
      }
    }
  }

  /** Lists the rotated files, newest first. */
  #backups(): { readonly path: string; readonly at: number }[] {
    const folder = dirname(this.#options.path);
    const extension = extname(this.#options.path);
    const stem = `${basename(this.#options.path, extension)}-`;
    return readdirSync(folder)
      .flatMap((name) => {
        const bare = name.endsWith('.gz') ? name.slice(0, -3) : name;
        if (!bare.startsWith(stem) || !bare.endsWith(extension)) return [];
        const stamp = bare.slice(stem.length, bare.length - extension.length);
        const parts = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp);
        return parts === null
          ? []
          : [{ path: join(folder, name), at: Date.parse(`${parts[1]}T${parts[2]}:${parts[3]}:${parts[4]}Z`) }];
      })
      .sort((a, b) => b.at - a.at);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
