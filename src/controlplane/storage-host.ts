/** The storage as the servers of the chain use it: its health checks, and the host of the registry stores. */
import type { Logger } from '../base/logger.ts';
import type { GenericServer } from '../server/generic-server.ts';
import type { Health } from '../server/health.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { Storage } from '../storage/storage.ts';
import type { CompletedOptions } from './complete-options.ts';
import { SCOPE } from './loops/control-loops.ts';
import type { ServerOptions } from './options.ts';

/** The checks have the reference's name for its storage, because probes exclude it by that name. */
export function addStorageChecks(health: Health, storage: Storage, { etcd }: ServerOptions): void {
  const check = async (): Promise<undefined> => {
    await storage.revision();
    return undefined;
  };
  health.add({ name: 'etcd', check, timeoutMs: etcd.healthCheckMs });
  health.addTo('readyz', { name: 'etcd-readiness', check, timeoutMs: etcd.readyCheckMs });
}

export function registryHost(
  { platform }: CompletedOptions,
  { storage, logger }: { readonly storage: Storage; readonly logger: Logger },
  { onUntracked }: GenericServer['serving'],
): RegistryHost {
  return {
    storage,
    scope: SCOPE,
    clock: platform.clock,
    newUid: () => globalThis.crypto.randomUUID(),
    random: (below) => Math.floor(Math.random() * below),
    onTrouble: (error) => logger.error('a store failed outside of a request', error),
    onUntracked,
  };
}
