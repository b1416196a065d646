/**
 * The bootstrap of a server: it reads the present state, writes the objects that a new server needs, and renews its
 * Lease.
 * Invariant: everything is read first, and written in one turn. A server that finds everything in place writes only its
 * Lease.
 */
import type { LateLister } from '../../server/own/late-lister.ts';
import type { ObjectAnswer } from '../../server/own/object-reader.ts';
import { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import type { KubeContext } from '../kube-context.ts';
import type { AuthenticationTrust } from './authentication-config-map.ts';
import { BOOTSTRAP_CONFIG_MAPS, type BootstrapTarget, bootstrap } from './bootstrap.ts';
import { bootstrapObjects } from './bootstrap-objects.ts';
import { IdentityLease } from './identity-lease.ts';
import { kubernetesServiceObjects } from './kubernetes-service.ts';
import type { ServiceNetwork } from './service-network.ts';

/** The listers of the kinds that authorization and admission need in every request. */
export type ServerListers = Readonly<
  Record<'namespaces' | 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', LateLister>
>;

export interface BootstrapServerOptions {
  readonly kube: KubeContext;
  readonly network: ServiceNetwork;
  readonly trust: AuthenticationTrust;
  /** Each lister is attached when its store has started. */
  readonly listers: ServerListers;
}

/**
 * Returns the Lease, which is renewed until it is stopped, and undefined for a server without an address. Rejects if an
 * object cannot be written.
 */
export async function bootstrapServer(options: BootstrapServerOptions): Promise<IdentityLease | undefined> {
  const { kube, network, listers } = options;
  const { logger } = kube;
  const { clock } = kube.host;
  const ensurer = new ObjectEnsurer(kube.resource);
  const lease = identityLease(options, ensurer);
  const planned = ensurer.plan([
    ...bootstrapObjects(network, clock.now()),
    ...(lease === undefined ? [] : [lease.ensuredObject()]),
  ]);
  const attached = Object.entries(listers).map(async ([plural, late]) => {
    late.attach(await kube.resource(plural).registry.lister());
  });
  const [more, configMaps] = await Promise.all([planned, readConfigMaps(kube), ...attached]);
  const listed = (plural: keyof ServerListers): BootstrapTarget => ({
    writer: kube.writer(plural),
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

function identityLease({ kube, network }: BootstrapServerOptions, ensurer: ObjectEnsurer): IdentityLease | undefined {
  const { logger, host } = kube;
  const { clock } = host;
  const self = network.self();
  if (self === undefined) return undefined;
  const onRenew = (): Promise<void> => ensurer.ensure(kubernetesServiceObjects(network, clock.now()));
  return new IdentityLease({ self, ensurer, clock, logger, newUid: () => host.newUid(), onRenew });
}

async function readConfigMaps(kube: KubeContext): Promise<BootstrapTarget> {
  const read = kube.reader('configmaps');
  const present = new Map<string, ObjectAnswer>();
  await Promise.all(
    BOOTSTRAP_CONFIG_MAPS.map(async ({ namespace, name }) => {
      present.set(name, await read(namespace, name));
    }),
  );
  return {
    writer: kube.writer('configmaps'),
    stored: (_namespace, name) => {
      const answer = present.get(name);
      return answer !== undefined && 'object' in answer ? answer.object : undefined;
    },
  };
}
