/**
 * The bootstrap of a server: it reads the present state, writes the objects that a new server needs, and renews its
 * Lease.
 * Invariant: everything is read first, and written in one turn. A server that finds everything in place writes only its
 * Lease.
 */
import type { LateLister } from '../../server/own/late-lister.ts';
import type { Lister } from '../../server/own/lister.ts';
import { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { ensuredDefaultAccounts } from '../identity/default-accounts.ts';
import type { KubeContext } from '../kube-context.ts';
import type { AuthenticationTrust } from './authentication-config-map.ts';
import { authenticationObject, bootstrapObjects } from './bootstrap-objects.ts';
import { IdentityLease } from './identity-lease.ts';
import { kubernetesServiceObjects } from './kubernetes-service.ts';
import { policyWrites } from './policy-writes.ts';
import type { ServiceNetwork } from './service-network.ts';

const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'] as const;

/** The listers of the kinds that authorization and admission need in every request. */
export type ServerListers = Readonly<
  Record<'namespaces' | 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', LateLister>
>;

export interface BootstrapServerOptions {
  readonly kube: KubeContext;
  readonly network: ServiceNetwork;
  readonly trust: () => AuthenticationTrust;
  /** Each lister is attached when its store has started. */
  readonly listers: ServerListers;
}

/**
 * Returns the Lease, which is renewed until it is stopped, and undefined for a server without an address. Rejects if an
 * object cannot be written.
 */
export async function bootstrapServer(options: BootstrapServerOptions): Promise<IdentityLease | undefined> {
  const { kube, network, trust, listers } = options;
  const ensurer = new ObjectEnsurer(kube.resource);
  const lease = identityLease(options, ensurer);
  const planned = ensurer.plan([
    ...bootstrapObjects(network, trust(), kube.host.clock.now()),
    ...(lease === undefined ? [] : [lease.ensuredObject()]),
  ]);
  const [objectWrites] = await Promise.all([planned, attachListers(kube, listers)]);
  const accounts =
    kube.defaultAccounts === undefined ? [] : ensuredDefaultAccounts(SYSTEM_NAMESPACES, listers.namespaces.list());
  const writes = [
    ...namespaceWrites(listers.namespaces, ensurer),
    ...policyWrites({ listers, ensurer, logger: kube.logger }),
    ...objectWrites,
    ...(await ensurer.plan(accounts)),
  ];
  await Promise.all(writes.map((write) => write()));
  lease?.start();
  return lease;
}

/** Starts the stores of the listers. All that a server needs whose storage must not be written. */
export async function attachListers(kube: KubeContext, listers: ServerListers): Promise<void> {
  const attached = Object.entries(listers).map(async ([plural, late]) => {
    late.attach(await kube.resource(plural).registry.lister());
  });
  await Promise.all(attached);
}

function namespaceWrites(namespaces: Lister, ensurer: ObjectEnsurer): readonly (() => Promise<void>)[] {
  return SYSTEM_NAMESPACES.filter((name) => namespaces.get('', name) === undefined).map(
    (name) => () => ensurer.create('namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
  );
}

function identityLease(
  { kube, network, trust }: BootstrapServerOptions,
  ensurer: ObjectEnsurer,
): IdentityLease | undefined {
  const { logger, host } = kube;
  const { clock } = host;
  const self = network.self();
  if (self === undefined) return undefined;
  const onRenew = (): Promise<void> =>
    ensurer.ensure([authenticationObject(trust(), clock.now()), ...kubernetesServiceObjects(network, clock.now())]);
  return new IdentityLease({ self, ensurer, clock, logger, newUid: () => host.newUid(), onRenew });
}
