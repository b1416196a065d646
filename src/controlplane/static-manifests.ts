/**
 * The manifest files of `staticManifestsDir` for one admission plugin. Files are read at start, when the folder
 * changes, and each minute.
 * Invariant: the objects are those of the last read in which all files were valid.
 */
import { ManifestObjects, type ManifestPlugin } from '../admission/manifests/manifest-objects.ts';
import type { Timer } from '../base/clock.ts';
import { isConfigError, toError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { sha256Label } from '../base/sha256.ts';
import { decodeManifests, type ManifestFile } from '../kube/admission/manifests/decode-manifests.ts';
import type { ManifestMetrics } from './manifest-metrics.ts';
import type { Platform } from './platform.ts';

/**
 * kube-apiserver's interval. Polling finds changes that watching the folder does not report, such as changes behind a
 * symbolic link.
 */
const RELOAD_MS = 60_000;
const EXTENSIONS = ['.yaml', '.yml', '.json'];

export interface ReloadOptions {
  readonly logger: Logger;
  readonly metrics: ManifestMetrics;
}

export class StaticManifests {
  readonly plugin: ManifestPlugin;
  readonly objects: ManifestObjects = new ManifestObjects();
  readonly #folder: string;
  readonly #platform: Platform;
  /** The hash of the files that were read last; '' if there are none. */
  #hash = '';
  /** The problem of the last reload; undefined if it succeeded. */
  #problem: string | undefined;
  #reload: ReloadOptions | undefined;
  #timer: Timer | undefined;
  #watch: { stop(): void } | undefined;
  /** The read in progress; undefined if there is none. */
  #running: Promise<void> | undefined;
  #again = false;

  constructor(plugin: ManifestPlugin, folder: string, platform: Platform) {
    this.plugin = plugin;
    this.#folder = folder;
    this.#platform = platform;
  }

  /** Reads the files for the first time. Returns the problem with them; undefined if they are valid. */
  async load(): Promise<string | undefined> {
    const { problem } = await this.#read();
    return problem;
  }

  /** Watches the folder until `stop`. Called once, after `load`. */
  start(options: ReloadOptions): void {
    this.#reload = options;
    options.metrics.succeeded(this.plugin, this.#hash);
    this.#watch = this.#platform.watchFolder(this.#folder, () => this.#changed());
    this.#schedule();
    // The folder may have changed since `load`.
    this.#changed();
  }

  async stop(): Promise<void> {
    this.#reload = undefined;
    this.#timer?.cancel();
    this.#watch?.stop();
    await this.#running;
  }

  #schedule(): void {
    this.#timer = this.#platform.clock.setTimer(
      RELOAD_MS,
      () => {
        this.#changed();
        this.#schedule();
      },
      { background: true },
    );
  }

  /** Starts a read. If one is running, another read follows it. */
  #changed(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#readAgain().finally(() => {
      this.#running = undefined;
      if (!this.#again || this.#reload === undefined) return;
      this.#again = false;
      this.#changed();
    });
  }

  async #readAgain(): Promise<void> {
    const result = await this.#read();
    if (this.#reload === undefined) return;
    const { logger, metrics } = this.#reload;
    const facts = { plugin: this.plugin, folder: this.#folder };
    if (result.problem !== undefined) {
      metrics.failed(this.plugin);
      if (result.problem !== this.#problem)
        logger.error(
          `cannot use the changed admission manifests, the last good ones stay: ${result.problem}`,
          undefined,
          facts,
        );
    } else if (result.changed) {
      metrics.succeeded(this.plugin, this.#hash);
      logger.info('admission manifests reloaded', facts);
    }
    this.#problem = result.problem;
  }

  async #read(): Promise<{ readonly problem: string | undefined; readonly changed: boolean }> {
    let files: readonly ManifestFile[];
    try {
      files = await this.#files();
    } catch (caught) {
      const error = toError(caught);
      if (!isConfigError(error)) throw error;
      return { problem: error.message, changed: false };
    }
    const hash = hashOf(files);
    if (hash === this.#hash && this.#problem === undefined) return { problem: undefined, changed: false };
    const decoded = decodeManifests(this.plugin, files);
    if (!decoded.ok) return { problem: decoded.problem, changed: false };
    if (hash === this.#hash) return { problem: undefined, changed: false };
    this.#hash = hash;
    this.objects.replace(decoded.objects);
    return { problem: undefined, changed: true };
  }

  async #files(): Promise<readonly ManifestFile[]> {
    const names = await this.#platform.listFiles(this.#folder);
    const files: ManifestFile[] = [];
    for (const name of names) {
      if (!EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension))) continue;
      const path = `${this.#folder}/${name}`;
      const text = await this.#platform.readFile(path);
      // Undefined: the file was removed after the folder was listed.
      if (text !== undefined && text !== '') files.push({ path, text });
    }
    return files;
  }
}

/** Returns the hash of the files, as in kube-apiserver's metrics. */
function hashOf(files: readonly ManifestFile[]): string {
  return files.length === 0 ? '' : sha256Label(files.map(({ text }) => `${text}\0`).join(''));
}
