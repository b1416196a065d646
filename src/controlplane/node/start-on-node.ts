/** All three stages at once, on Node: options in, a running control plane out. */
import { type Logger, SILENT } from '../../base/logger.ts';
import { completeOptions } from '../complete-options.ts';
import type { ControlPlane } from '../control-plane.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from '../options.ts';
import { startControlPlane } from '../start.ts';
import { nodePlatform } from './node-platform.ts';

/**
 * Starts a server and resolves when it is ready. Without options it does what the command does: port 6443 on loopback, `.keelson` in the working folder, RBAC. Throws ConfigError
 * for what cannot be used, and leaves nothing running then. The logger says nothing by default.
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
