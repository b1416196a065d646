/** Connects the storages to the servers of the chain: their health checks, and the hosts of the registry stores. */
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import type { Logger } from '../base/logger.ts';
import { randomUuid } from '../base/random.ts';
import { SERVER_ADDRESSES } from '../kube/bootstrap/server-leases.ts';
import type { GenericServer } from '../server/generic-server.ts';
import type { Health, HealthCheck } from '../server/health.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import { type ResourceDefinition, storedGroupResource } from '../server/resource/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import type { CompletedOptions } from './complete-options.ts';
import { SCOPE } from './etcd-keys.ts';
import type { ServerOptions } from './options.ts';
import { ALL_RESOURCES, DELEGATE_GROUPS, type Storages, storageOf } from './storages.ts';

/** Adds the health checks of the storages. They have kube-apiserver's names, because probes exclude checks by name. */
export function addStorageChecks(health: Health, { main, overrides }: Storages, { etcd }: ServerOptions): void {
  const add = (storage: Storage, live: string, ready: string): void => {
    const check = async (): Promise<undefined> => {
      await storage.revision();
      return undefined;
    };
    health.add({ name: live, group: 'etcd', check, ...timeout(etcd.healthCheckMs) });
    health.addTo('readyz', { name: ready, group: 'etcd-readiness', check, ...timeout(etcd.readyCheckMs) });
  };
  add(main, 'etcd', 'etcd-readiness');
  for (const [i, { storage }] of overrides.entries())
    add(storage, `etcd-override-${i}`, `etcd-override-readiness-${i}`);
}

/** The time limit of a check; 0: the default of health checks. */
function timeout(timeoutMs: number): Pick<HealthCheck, 'timeoutMs'> {
  return timeoutMs === 0 ? {} : { timeoutMs };
}

/** The host of resources in the main storage. */
export function registryHost(
  { platform }: CompletedOptions,
  { storages, logger }: { readonly storages: Storages; readonly logger: Logger },
  { onUntracked }: GenericServer['serving'],
): RegistryHost {
  return {
    storage: storages.main,
    scope: SCOPE,
    clock: platform.clock,
    newUid: randomUuid,
    random: (below) => Math.floor(Math.random() * below),
    onTrouble: (error) => logger.error('a store failed outside of a request', error),
    onUntracked,
  };
}

/** The host of the built-in resources, which may be in other storages. */
export function overridingHost(host: RegistryHost, storages: Storages): RegistryHost {
  const { overrides } = storages;
  if (overrides.length === 0) return host;
  return {
    ...host,
    storageOf: (resource) => storageOf(storages, resource),
    otherStorages: overrides.map(({ storage }) => storage),
  };
}

/**
 * Returns a warning for each override of a resource that cannot be overridden, such as a custom resource or a misspelt
 * name. kube-apiserver ignores such overrides silently.
 */
export function overrideWarnings(
  { overrides }: Storages,
  definitions: readonly ResourceDefinition[],
): readonly string[] {
  const known = [SERVER_ADDRESSES, ...definitions.map(storedGroupResource)].filter(
    ({ group }) => !DELEGATE_GROUPS.has(group),
  );
  const applies = ({ group, resource }: GroupResource): boolean =>
    known.some((each) => each.group === group && (resource === ALL_RESOURCES || each.resource === resource));
  return overrides
    .flatMap(({ resources }) => resources)
    .filter((resource) => !applies(resource))
    .map(
      ({ group, resource }) =>
        `--etcd-servers-overrides: ${group}/${resource} has no effect: only built-in resources can be in another cluster`,
    );
}
