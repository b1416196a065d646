/**
 * The command that runs a server until a signal. Invariants: standard output has the start message (or the audit log,
 * if that was asked for) and nothing else; logs go to standard error. The first signal stops the server in order; the
 * second ends the process at once.
 */
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type CompletedOptions, completeOptions } from '../controlplane/complete-options.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { createLogger } from '../node/log/logging.ts';
import { readPackageVersion } from '../node/platform.ts';
import { collectWhenIdle, processCollectionOptions } from '../node/process/idle-collection.ts';
import { setV8Flags } from '../node/process/v8-flags.ts';
import type { ServerCommandLine } from './server-command-line.ts';
import { startMessageLines } from './start-message.ts';

/** The verbosity from which kube-apiserver logs requests. */
const LOG_REQUESTS_FROM = 3;

/** Resolves with the exit code once the server has stopped. Throws ConfigError if it cannot start. */
export async function serveUntilSignal(line: ServerCommandLine): Promise<number> {
  const { server, log } = line.options;
  const format = log.format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : log.format;
  const logger = await createLogger({ format, verbosity: log.verbosity });
  if (line.ignoredFlags.length > 0)
    logger.warn(`flags of kube-apiserver without effect here: ${line.ignoredFlags.join(', ')}`);
  const signals = new Signals();
  signals.listen();
  try {
    const completed = await completeOptions(server, nodePlatform);
    for (const warning of completed.warnings) logger.warn(warning);
    if (line.options.etcdServers.length > 0) logger.warn(etcdWarning(line.options.etcdServers, completed));
    const plane = await startControlPlane(completed, {
      logger,
      logRequests: log.verbosity >= LOG_REQUESTS_FROM,
      flags: line.flags,
    });
    setV8Flags();
    const tidy = collectWhenIdle(processCollectionOptions(systemClock));
    try {
      await Promise.race([plane.ready, signals.first]);
      if (!signals.caught) printStartMessage(plane, server.audit.logPath === '-', logger);
      logger.info('stopping', { signal: await signals.first });
    } finally {
      tidy.stop();
      await plane.stop();
    }
    logger.info('stopped');
    return 0;
  } finally {
    signals.release();
  }
}

/** Says where the objects are, because an operator who names etcd looks for them there. */
function etcdWarning(servers: readonly string[], { options, storageFolder }: CompletedOptions): string {
  const place =
    options.storage === 'memory' ? 'kept in memory until this process ends' : `stored in the folder ${storageFolder}`;
  return `THE OBJECTS OF THIS SERVER ARE NOT IN ETCD: Keelson has no etcd driver yet and does not use --etcd-servers=${servers.join(',')}; objects are ${place}`;
}

function printStartMessage(plane: ControlPlane, outputIsTaken: boolean, logger: Logger): void {
  const { url, kubeconfig } = plane;
  const readyMs = performance.now();
  const lines = startMessageLines({ version: readPackageVersion(), url, kubeconfig, readyMs });
  (outputIsTaken ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
  logger.info('ready', { url, milliseconds: Math.round(readyMs) });
}

/** The signals SIGINT and SIGTERM. After the first, a second one ends the process with exit code 1. */
class Signals {
  readonly first: Promise<NodeJS.Signals>;
  caught = false;
  #resolve: (signal: NodeJS.Signals) => void = () => undefined;
  readonly #listener = (signal: NodeJS.Signals): void => {
    if (this.caught) process.exit(1);
    this.caught = true;
    this.#resolve(signal);
  };

  constructor() {
    this.first = new Promise((resolve) => {
      this.#resolve = resolve;
    });
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
