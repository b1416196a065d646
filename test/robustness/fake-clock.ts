/**
 * A wall clock that a run moves while a server uses it: libfaketime, loaded into the process of the server. The
 * monotonic clock is the real one. Programs in Go, such as etcd, do not read their clocks through the C library, so
 * that this works only for the servers.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../compat/peers/programs.ts';

export class FakeClock {
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'keelson-clock-'));
    this.set(0);
  }

  /** The environment of a process that uses this clock. It reads the offset once per second. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: program('libfaketime'),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Moves the clock to this many seconds after the real time. */
  set(seconds: number): void {
    writeFileSync(`${this.#file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.#file}.next`, this.#file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'offset');
  }
}
