/**
 * Fills the store with what a server contains and keeps it there. Invariant: everything is read first and written in one turn; a server that finds everything in place writes
 * nothing but its own Lease.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { LateLister } from '../../server/own/late-lister.ts';
import type { Lister } from '../../server/own/lister.ts';
import { createObjectReader, type ObjectAnswer } from '../../server/own/object-reader.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { RegistryHost } from '../../server/resource/registry-host.ts';
import { StoredObjects } from '../ensurer/object-ensurer.ts';
import type { AuthenticationTrust } from './authentication-config-map.ts';
import { BOOTSTRAP_CONFIG_MAPS, type BootstrapTarget, bootstrap } from './bootstrap.ts';
import { bootstrapObjects } from './bootstrap-objects.ts';
import { IdentityLease } from './identity-lease.ts';
import { ownServiceObjects } from './kubernetes-service.ts';
import type { ServiceNetwork } from './service-network.ts';

/** The kinds that the server itself must know. */
export type ServerListers = Readonly<
  Record<'namespaces' | 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', LateLister>
>;

export interface FillOptions {
  readonly host: RegistryHost;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly network: ServiceNetwork;
  readonly trust: AuthenticationTrust;
  /** Attached when their stores have started. */
  readonly listers: ServerListers;
  resource(plural: string): StoredResource;
  writer(plural: string): OwnWriter;
  startLister(plural: string): Promise<Lister>;
}

/** Returns the Lease, which is renewed until it is stopped; undefined for a server that nobody reaches. */
export async function fillServer(options: FillOptions): Promise<IdentityLease | undefined> {
  const { clock, logger, network, listers, resource } = options;
  const objects = new StoredObjects(resource);
  const lease = identityLease(options, objects);
  const planned = objects.bringUpToDate([
    ...bootstrapObjects(network, clock.now()),
    ...(lease === undefined ? [] : [lease.object()]),
  ]);
  const attached = Object.entries(listers).map(async ([plural, late]) => {
    late.attach(await options.startLister(plural));
  });
  const [more, configMaps] = await Promise.all([
    planned,
    readConfigMaps(resource('configmaps'), options.writer('configmaps')),
    ...attached,
  ]);
  const listed = (plural: keyof ServerListers): BootstrapTarget => ({
    writer: options.writer(plural),
    stored: (namespace, name) => listers[plural].get(namespace, name),
  });
  await bootstrap({
    namespaces: listed('namespaces'),
    roles: listed('roles'),
    roleBindings: listed('rolebindings'),
    clusterRoles: listed('clusterroles'),
    clusterRoleBindings: listed('clusterrolebindings'),
    configMaps,
    more,
    trust: options.trust,
    clock,
    logger,
  });
  lease?.start();
  return lease;
}

function identityLease(options: FillOptions, objects: StoredObjects): IdentityLease | undefined {
  const { clock, host, logger, network } = options;
  const self = network.self();
  if (self === undefined) return undefined;
  const beat = (): Promise<void> => objects.restore(ownServiceObjects(network, clock.now()));
  return new IdentityLease({ self, objects, clock, logger, newUid: () => host.newUid(), beat });
}

async function readConfigMaps(resource: StoredResource, writer: OwnWriter): Promise<BootstrapTarget> {
  const read = createObjectReader(resource);
  const present = new Map<string, ObjectAnswer>();
  await Promise.all(
    BOOTSTRAP_CONFIG_MAPS.map(async ({ namespace, name }) => {
      present.set(name, await read(namespace, name));
    }),
  );
  return {
    writer,
    stored: (_namespace, name) => {
      const answer = present.get(name);
      return answer !== undefined && 'object' in answer ? answer.object : undefined;
    },
  };
}
