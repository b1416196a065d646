/**
 * The open stores of all built-in kinds, and the KubeContext over them.
 * Invariant: nothing is read or written here. Caches and listers start with their first use.
 */
import { isPluginEnabled } from '../admission/plugin-chain.ts';
import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import { BugError } from '../base/errors.ts';
import { createTokenSigner } from '../pki/service-account-tokens.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { DiscoveryPublisher, DiscoveryResource } from '../server/discovery/discovery-publisher.ts';
import { LazyLister } from '../server/own/lazy-lister.ts';
import { createObjectReader } from '../server/own/object-reader.ts';
import { OwnWriter } from '../server/own/own-writer.ts';
import {
  isStoredResource,
  type OpenResource,
  openResource,
  type StoredResource,
} from '../server/resource/open-resource.ts';
import type { ServiceNetwork } from './bootstrap/service-network.ts';
import type { ClusterFamilies } from './groups/core/service/ip-families.ts';
import { createDefaultAccounts } from './identity/default-accounts.ts';
import { tokenSubresource } from './identity/token-request.ts';
import type { KubeContext } from './kube-context.ts';
import type { KubeServerOptions } from './kube-server-options.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { kubeResources } from './resources.ts';
import { parseRuntimeConfig } from './runtime-config.ts';

export interface OpenResources {
  /** Every built-in kind, in the order of `resources.ts`. */
  readonly resources: readonly OpenResource[];
  readonly kube: KubeContext;
}

export interface OpenResourcesOptions {
  readonly server: KubeServerOptions;
  readonly network: ServiceNetwork;
  readonly rbac: RbacAuthorizer;
  readonly authorizer: Authorizer;
}

/** Throws ConfigError for an invalid `--runtime-config`. */
export function openResources({ server, network, rbac, authorizer }: OpenResourcesOptions): OpenResources {
  const { host, clock, apiAudiences, authenticateToken, serviceAccounts } = server;
  const opened = new Map<string, OpenResource>();
  const kube = createKubeContext(server, opened, authorizer);
  const { issuers, signingKey, maxExpirationSeconds, extendExpiration } = serviceAccounts;
  const token = tokenSubresource({
    signer: createTokenSigner({ issuer: issuers[0] ?? '', key: signingKey }),
    apiAudiences,
    maxExpirationSeconds,
    extendExpiration,
    clock,
    kube,
  });
  const kinds = kubeResources({
    kube,
    eventTtlSeconds: server.eventTtlSeconds,
    readsAdmissionManifests: server.admission.readsManifests ?? false,
    token,
    rbac,
    runtimeConfig: parseRuntimeConfig(server.runtimeConfig ?? []),
    clock,
    others: server.resources ?? [],
    tokenReview: { authenticateToken, apiAudiences },
    network: { families: familiesOf(network), nodePorts: network.nodePorts },
  });
  for (const { definition } of kinds) opened.set(definition.plural, openResource(definition, host));
  for (const { definition, wrapStore } of kinds) {
    const open = opened.get(definition.plural);
    if (wrapStore === undefined || open === undefined || !isStoredResource(open)) continue;
    opened.set(definition.plural, { ...open, store: wrapStore(open, kube) });
  }
  return { resources: [...opened.values()], kube };
}

function createKubeContext(
  { host, logger, discovery, admission, terminatesNamespaces = false }: KubeServerOptions,
  opened: ReadonlyMap<string, OpenResource>,
  authorizer: Authorizer,
): KubeContext {
  const resource = (plural: string): StoredResource => storedResourceOf(opened, plural);
  const writer = oncePerPlural((plural) => new OwnWriter(resource(plural)));
  return {
    host,
    logger,
    authorizer,
    terminatesNamespaces,
    defaultAccounts: isPluginEnabled('ServiceAccount', admission)
      ? createDefaultAccounts({ writer: () => writer('serviceaccounts'), logger })
      : undefined,
    resource,
    pluralOf: (kind) => publishedKind(discovery, kind)?.plural,
    isNamespaced: (kind) => publishedKind(discovery, kind)?.scope === 'Namespaced',
    writer,
    reader: oncePerPlural((plural) => createObjectReader(resource(plural))),
    lister: oncePerPlural((plural) => new LazyLister(() => resource(plural).registry.lister())),
  };
}

function storedResourceOf(opened: ReadonlyMap<string, OpenResource>, plural: string): StoredResource {
  const resource = opened.get(plural);
  if (resource === undefined || !isStoredResource(resource)) throw new BugError(`${plural} is not a stored resource`);
  return resource;
}

function publishedKind(discovery: DiscoveryPublisher, kind: GroupVersionKind): DiscoveryResource | undefined {
  return discovery.get(kind)?.resources.find((resource) => resource.kind.kind === kind.kind);
}

function familiesOf({ ranges: [first, ...more] }: ServiceNetwork): ClusterFamilies {
  return [first.family, ...more.map(({ family }) => family)];
}

function oncePerPlural<T>(make: (plural: string) => T): (plural: string) => T {
  const made = new Map<string, T>();
  return (plural) => {
    const known = made.get(plural);
    if (known !== undefined) return known;
    const fresh = make(plural);
    made.set(plural, fresh);
    return fresh;
  };
}
