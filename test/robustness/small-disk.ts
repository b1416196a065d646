/**
 * A file system of a few megabytes for the data of a member: a tmpfs in a mount namespace of its own. It needs no
 * root where users may create namespaces, and it disappears with the process that holds the namespace.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild, waitUntilReady } from '../../compat/peers/process.ts';

const PIECE = new Uint8Array(64 * 1024);

export class SmallDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Runs the command that follows where the disk is mounted, as the same process. */
  readonly enter: readonly string[];
  readonly #holder: Child;
  readonly #base: string;

  private constructor(base: string, holder: Child) {
    this.#base = base;
    this.#holder = holder;
    this.folder = mountPoint(base);
    this.enter = isRoot()
      ? ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`]
      : ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials'];
  }

  /** Throws with the reason if the machine allows no mount namespaces. */
  static async create(megabytes: number): Promise<SmallDisk> {
    const base = mkdtempSync(join(tmpdir(), 'keelson-disk-'));
    const logFile = join(base, 'log');
    const folder = mountPoint(base);
    const script = `mkdir ${folder} && mount -t tmpfs -o size=${megabytes}m tmpfs ${folder} && echo ready && exec sleep infinity`;
    const namespaces = isRoot() ? ['--mount'] : ['--map-root-user', '--mount'];
    const holder = startChild('unshare', [...namespaces, 'sh', '-c', script], logFile);
    const check = async (): Promise<boolean> => readFileSync(logFile, 'utf8').includes('ready');
    await waitUntilReady({ what: 'a tmpfs in a mount namespace (unshare)', child: holder, logFile, check });
    return new SmallDisk(base, holder);
  }

  /** Uses up all space. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (;;) writeSync(file, PIECE);
    } catch (caught) {
      if ((caught as NodeJS.ErrnoException).code !== 'ENOSPC') throw caught;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  async stop(): Promise<void> {
    await this.#holder.stop(0);
    rmSync(this.#base, { recursive: true, force: true });
  }

  /** The path as this process sees it. */
  get #filler(): string {
    return join(`/proc/${this.#holder.pid}/root`, this.folder, 'filler');
  }
}

function mountPoint(base: string): string {
  return join(base, 'disk');
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
