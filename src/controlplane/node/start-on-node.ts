/** Starts a control plane on Node from plain options: all three stages in one call. */
import { ConfigError } from '../../base/errors.ts';
import { type Logger, SILENT } from '../../base/logger.ts';
import { completeOptions } from '../complete-options.ts';
import type { ControlPlane } from '../control-plane.ts';
import { unknownOption } from '../option-problem.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from '../options.ts';
import { startControlPlane } from '../start.ts';
import { nodePlatform } from './node-platform.ts';

/**
 * Starts a server and resolves when it is ready. The defaults are those of the command: port 6443 on loopback, the data
 * folder `.keelson` in the working folder, and RBAC. With `storage: 'memory'` and no `dataDir` there is no folder:
 * nothing is written to disk, and the default port is any free one, so that several servers can run in one process.
 * Throws ConfigError for an unknown or invalid option; nothing keeps running then. Logs nothing by default.
 */
export async function startOnNode(
  options: PartialOptions<ServerOptions> = {},
  environment: { readonly logger?: Logger } = {},
): Promise<ControlPlane> {
  const { logger = SILENT } = environment;
  const other = Object.keys(environment).find((name) => name !== 'logger');
  if (other !== undefined) throw new ConfigError(unknownOption(other, ['logger']));
  const completed = await completeOptions(withoutFolder(serverOptions(options), options), nodePlatform);
  const plane = await startControlPlane(completed, { logger });
  try {
    await plane.ready;
  } catch (caught) {
    await plane.stop();
    throw caught;
  }
  return plane;
}

/** Returns the options of a server in memory that was given no data folder. */
function withoutFolder(options: ServerOptions, given: PartialOptions<ServerOptions>): ServerOptions {
  if (options.storage !== 'memory' || given.dataDir !== undefined) return options;
  const port = given.serving?.port ?? 0;
  return { ...options, dataDir: '', serving: { ...options.serving, port } };
}
