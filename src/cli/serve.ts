/**
 * Runs a server until a signal. Invariants: standard output has the start message, or the audit log with
 * `--audit-log-path=-`, and nothing else; logs go to standard error, and no other text is written between lines of JSON
 * logs. The first signal stops the server in order; the second ends the process at once.
 */
import { fstatSync } from 'node:fs';
import { isIP } from 'node:net';
import { systemClock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type CompletedOptions, completeOptions } from '../controlplane/complete-options.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import type { ServerOptions } from '../controlplane/options.ts';
import { type ServedSnapshot, startControlPlane } from '../controlplane/start.ts';
import { wantsColour } from '../node/log/colour.ts';
import { createLogger } from '../node/log/logging.ts';
import { machineNames, readPackageVersion } from '../node/platform.ts';
import { processCpuMicros } from '../node/process/cpu-sampler.ts';
import { collectWhenIdle, processCollectionOptions } from '../node/process/idle-collection.ts';
import { followLoad } from '../node/process/sustained-load.ts';
import { growYoungGenerationAtOnce, optimiseInLoad, setFlagsForStart } from '../node/process/v8-flags.ts';
import { isEtcdStandIn } from './etcd-stand-in.ts';
import type { ServerCommandLine } from './server-command-line.ts';
import { startMessageLines } from './start-message.ts';

/** The verbosity from which kube-apiserver logs requests. */
const LOG_REQUESTS_FROM = 3;

export interface ServeExtras {
  /** A snapshot to serve read-only. */
  readonly snapshot?: ServedSnapshot;
  /** The lines to print when the server is ready. Default: the start message. */
  readonly readyLines?: (plane: ControlPlane) => readonly string[];
}

/** Resolves with the exit code once the server has stopped. Throws ConfigError if it cannot start. */
export async function serveUntilSignal(line: ServerCommandLine, extras: ServeExtras = {}): Promise<number> {
  setFlagsForStart();
  const { log } = line.options;
  const format = log.format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : log.format;
  const colour = wantsColour(process.env, process.stderr.isTTY === true);
  const logger = await createLogger({ format, verbosity: log.verbosity, colour });
  if (line.ignoredFlags.length > 0)
    logger.warn(`flags of kube-apiserver without effect here: ${line.ignoredFlags.join(', ')}`);
  const signals = new Signals();
  signals.listen();
  try {
    const server = await withoutStandIn(line.options.server);
    const completed = await completeOptions(server, nodePlatform);
    for (const warning of completed.warnings) logger.warn(warning);
    if (server.etcd.servers.length > 0 && server.storage !== 'etcd') logger.warn(etcdWarning(completed));
    const plane = await startControlPlane(completed, {
      logger,
      logRequests: log.verbosity >= LOG_REQUESTS_FROM,
      flags: line.flags,
      signal: signals.signal,
      ...(extras.snapshot && { snapshot: extras.snapshot }),
    });
    growYoungGenerationAtOnce();
    const idleCollection = collectWhenIdle(processCollectionOptions(systemClock));
    const load = followLoad({ clock: systemClock, cpuMicros: processCpuMicros, changed: optimiseInLoad });
    try {
      await Promise.race([plane.ready, signals.first]);
      if (!signals.caught) announce(plane, completed, { logger, format, readyLines: extras.readyLines });
      logger.info('stopping', { signal: await signals.first });
    } finally {
      load.stop();
      idleCollection.stop();
      await plane.stop();
    }
    logger.info('stopped');
    return 0;
  } catch (caught) {
    if (caught !== signals.signal.reason) throw toError(caught);
    logger.info('stopped before the server was ready');
    return 0;
  } finally {
    signals.release();
  }
}

/**
 * Keeps the objects in the data folder if the server of `--etcd-servers` is the etcd of `keelson envtest`, which stores
 * nothing. Go's envtest starts it and passes its URL.
 */
async function withoutStandIn(server: ServerOptions): Promise<ServerOptions> {
  if (server.storage !== 'etcd' || !(await isEtcdStandIn(server.etcd.servers))) return server;
  return { ...server, storage: 'lmdb' };
}

/** Returns a warning that says where the objects are, because an operator who names etcd looks for them there. */
function etcdWarning({ options, storageFolder }: CompletedOptions): string {
  const place =
    options.storage === 'memory' ? 'kept in memory until this process ends' : `stored in the folder ${storageFolder}`;
  return `the objects of this server are not in etcd: --etcd-servers=${options.etcd.servers.join(',')} is not used; objects are ${place}`;
}

interface Announcement {
  readonly logger: Logger;
  readonly format: 'text' | 'json';
  readonly readyLines: ServeExtras['readyLines'];
}

/**
 * Announces that the server is ready. Writes the start message to standard output, or to standard error if standard
 * output has the audit log. Writes a log line if logs are JSON, or if they go to another file than the start message.
 * JSON logs that share a file with the start message get the log line only.
 */
function announce(
  plane: ControlPlane,
  { options }: CompletedOptions,
  { logger, format, readyLines }: Announcement,
): void {
  const { url, kubeconfig } = plane;
  const readyMs = process.uptime() * 1000;
  const isOutputTaken = options.audit.logPath === '-';
  const isShared = isOutputTaken || isSameFile(1, 2);
  if (format === 'text' || !isShared) {
    const lines =
      readyLines?.(plane) ??
      startMessageLines({
        version: readPackageVersion(),
        url,
        otherMachinesUrl: otherMachinesUrl(options, plane),
        kubeconfig,
        storage: options.storage,
        readyMs,
      });
    (isOutputTaken ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
  }
  if (format === 'json' || !isShared)
    logger.info('ready', { url, kubeconfig, storage: options.storage, milliseconds: Math.round(readyMs) });
}

/** Returns a URL for other machines if the server listens on all addresses; undefined otherwise. */
function otherMachinesUrl({ serving }: ServerOptions, { address, port }: ControlPlane): string | undefined {
  if (address !== '0.0.0.0' && address !== '::') return undefined;
  const addresses = machineNames({ allAddresses: true }).filter((name) => isIP(name) !== 0);
  const host = serving.externalHostname || serving.advertiseAddress || addresses[0];
  if (host === undefined) return undefined;
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Returns whether two descriptors are the same terminal, pipe or file. */
function isSameFile(first: number, second: number): boolean {
  try {
    const [a, b] = [fstatSync(first), fstatSync(second)];
    return a.ino !== 0 && a.ino === b.ino && a.dev === b.dev;
  } catch {
    // `fstat` of a closed descriptor fails.
    return false;
  }
}

/** The signals SIGINT and SIGTERM. After the first, a second one ends the process with exit code 1. */
class Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly #aborter = new AbortController();
  caught = false;
  #resolve: (signal: NodeJS.Signals) => void = () => undefined;
  readonly #listener = (signal: NodeJS.Signals): void => {
    if (this.caught) process.exit(1);
    this.caught = true;
    this.#aborter.abort();
    this.#resolve(signal);
  };

  constructor() {
    this.first = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Aborts at the first signal. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  listen(): void {
    process.on('SIGINT', this.#listener);
    process.on('SIGTERM', this.#listener);
  }

  release(): void {
    process.off('SIGINT', this.#listener);
    process.off('SIGTERM', this.#listener);
  }
}
