/** The start of a control plane on Node from plain options: all three stages in one call. */
import { type Logger, SILENT } from '../../base/logger.ts';
import { completeOptions } from '../complete-options.ts';
import type { ControlPlane } from '../control-plane.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from '../options.ts';
import { startControlPlane } from '../start.ts';
import { nodePlatform } from './node-platform.ts';

/**
 * Starts a server and resolves when it is ready. The defaults are those of the command: port 6443 on loopback, the data
 * folder `.keelson` in the working folder, and RBAC. Throws ConfigError for an invalid option; nothing keeps running
 * then. Logs nothing by default.
 */
export async function startOnNode(
  options: PartialOptions<ServerOptions> = {},
  { logger = SILENT }: { readonly logger?: Logger } = {},
): Promise<ControlPlane> {
  const plane = await startControlPlane(await completeOptions(serverOptions(options), nodePlatform), { logger });
  try {
    await plane.ready;
  } catch (caught) {
    await plane.stop();
    throw caught;
  }
  return plane;
}
