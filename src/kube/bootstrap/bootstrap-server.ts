/**
 * The bootstrap of a server: it reads the present state, writes the objects that a new server needs, and renews its
 * Lease.
 * Invariant: everything is read first, and written in one turn. A server that finds everything in place writes only its
 * Lease.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { toError } from '../../base/errors.ts';
import type { LateLister } from '../../server/own/late-lister.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { ensuredDefaultAccounts } from '../identity/default-accounts.ts';
import type { KubeContext } from '../kube-context.ts';
import type { ServiceAccountOptions } from '../kube-server-options.ts';
import { AUTHENTICATION_CONFIG_MAP, type AuthenticationTrust } from './authentication-config-map.ts';
import { authenticationObject, bootstrapObjects } from './bootstrap-objects.ts';
import { removeExpiredIdentities } from './expired-identities.ts';
import { IdentityLease } from './identity-lease.ts';
import { endpointObjects, kubernetesServiceObjects, publishesEndpoints } from './kubernetes-service.ts';
import { policyWrites } from './policy-writes.ts';
import { ServerLeases } from './server-leases.ts';
import type { ServiceNetwork } from './service-network.ts';
import { sharedTrust, trustAnnotations, trustWarnings } from './shared-trust.ts';
import { storedIdentities } from './stored-identities.ts';

const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'] as const;

/** The reference's interval at which identity Leases of other servers are looked at. */
const COLLECT_MS = 3_600_000;

/** The listers of the kinds that authorization and admission need in every request. */
export type ServerListers = Readonly<
  Record<'namespaces' | 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', LateLister>
>;

export interface BootstrapServerOptions {
  readonly kube: KubeContext;
  readonly network: ServiceNetwork;
  readonly trust: () => AuthenticationTrust;
  /** The keys of ServiceAccount tokens. */
  readonly keys: Pick<ServiceAccountOptions, 'signingKey' | 'verifyKeys'>;
  /** Each lister is attached when its store has started. */
  readonly listers: ServerListers;
}

/** The part of a server that other servers see. */
export interface Presence {
  /** Removes this server from the endpoints of `default/kubernetes`. Called before it refuses requests. */
  leave(): Promise<void>;
  /** Deletes the identity Lease. */
  stop(): Promise<void>;
}

/**
 * Returns the presence, which is renewed until it is stopped, and undefined for a server without an address. Rejects if
 * an object cannot be written.
 */
export async function bootstrapServer(options: BootstrapServerOptions): Promise<Presence | undefined> {
  const { kube, network, trust, listers } = options;
  const ensurer = new ObjectEnsurer(kube.resource);
  const servers = serverLeases(options, ensurer);
  if (!kube.host.storage.embedded) await warnOfOtherTrust(options);
  const lease = identityLease(options, ensurer, servers);
  const planned = ensurer.plan([
    ...bootstrapObjects(network, trust(), kube.host.clock.now()),
    ...aloneEndpoints(network, servers),
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
  await servers?.renew();
  if (lease === undefined) return undefined;
  lease.start();
  return { stop: () => lease.stop(), leave: () => leave(kube, servers) };
}

/** Logs differences to the other API servers on the storage, before this server publishes what it trusts. */
async function warnOfOtherTrust({ kube, trust, keys }: BootstrapServerOptions): Promise<void> {
  const [identities, published] = await Promise.all([
    storedIdentities(kube),
    kube.writer('configmaps').read(AUTHENTICATION_CONFIG_MAP),
  ]);
  const warnings = trustWarnings({
    own: sharedTrust(trust().clientCaPem, keys),
    identities,
    publishedCaPem: textAt(published ?? {}, 'data', 'client-ca-file'),
    now: kube.host.clock.now(),
  });
  for (const warning of warnings) kube.logger.warn(warning);
}

/** Undefined on an embedded storage, which one server uses alone, and for a server that publishes no endpoints. */
function serverLeases({ kube, network }: BootstrapServerOptions, ensurer: ObjectEnsurer): ServerLeases | undefined {
  const self = network.self();
  if (self === undefined || kube.host.storage.embedded || !publishesEndpoints(self)) return undefined;
  return new ServerLeases({ host: kube.host, ensurer, self });
}

/** The endpoints of a server that shares its storage with no other one. They stay as they are when it stops. */
function aloneEndpoints(network: ServiceNetwork, servers: ServerLeases | undefined): readonly EnsuredObject[] {
  const self = network.self();
  return self === undefined || servers !== undefined ? [] : endpointObjects(self, [self.address]);
}

/**
 * A failure is logged: the key of this server expires by itself, and the next server to renew corrects the endpoints.
 */
async function leave(kube: KubeContext, servers: ServerLeases | undefined): Promise<void> {
  try {
    await servers?.remove();
  } catch (error) {
    const reason = toError(error).message;
    kube.logger.warn('cannot remove this server from the endpoints of default/kubernetes; it expires soon', { reason });
  }
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
  { kube, network, trust, keys }: BootstrapServerOptions,
  ensurer: ObjectEnsurer,
  servers: ServerLeases | undefined,
): IdentityLease | undefined {
  const { logger, host } = kube;
  const { clock } = host;
  const self = network.self();
  if (self === undefined) return undefined;
  const isShared = !host.storage.embedded;
  let collectAt = clock.monotonic();
  const onRenew = async (): Promise<void> => {
    if (isShared && clock.monotonic() >= collectAt) {
      collectAt = clock.monotonic() + COLLECT_MS;
      await removeExpiredIdentities(kube);
    }
    const objects = kubernetesServiceObjects(network, clock.now());
    const endpoints = aloneEndpoints(network, servers);
    await ensurer.ensure([authenticationObject(trust(), clock.now()), ...objects, ...endpoints]);
    await servers?.renew();
  };
  return new IdentityLease({
    self,
    ensurer,
    clock,
    logger,
    newUid: () => host.newUid(),
    ...(isShared && { annotations: () => trustAnnotations(sharedTrust(trust().clientCaPem, keys)) }),
    onRenew,
  });
}
