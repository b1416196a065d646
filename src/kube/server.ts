/**
 * The middle server: the built-in kinds, who may do what, and what a fresh server contains. Invariant: nothing happens before `start()`; requests that come earlier wait
 * for it; what is unknown here goes to the delegate unchanged.
 */
import { createAdmissionObserver } from '../admission/admission-metrics.ts';
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { createAdmission } from '../admission/plugin-chain.ts';
import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import { ensureObject } from '../apimachinery/meta/object-fields.ts';
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';
import { BugError, toError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { andThen } from '../base/maybe-promise.ts';
import { factsFingerprint, typeName } from '../kinds/views.ts';
import { LAST_USED_LABEL } from '../pki/bound-objects.ts';
import { createOpenIdDocuments, type OpenIdResult } from '../pki/jwks.ts';
import type { PrivateKey, PublicKey } from '../pki/keys.ts';
import { createTokenSigner } from '../pki/service-account-tokens.ts';
import type { Admission, AdmissionPlugin } from '../server/admission.ts';
import type { TokenAuthenticator } from '../server/authenticator.ts';
import { type Authorizer, MASTERS_GROUP } from '../server/authorizer.ts';
import type { DiscoveryPublisher, DiscoveryResource } from '../server/discovery/discovery-publisher.ts';
import type { NamespaceReader } from '../server/endpoints/endpoint.ts';
import {
  ALWAYS_ALLOW,
  ALWAYS_DENY,
  privilegedGroupsAuthorizer,
  unionAuthorizer,
} from '../server/filters/authorizers.ts';
import type { FlowMatcher } from '../server/flow-matcher.ts';
import type { RequestHandler } from '../server/http/server-request.ts';
import type { ServiceObjects } from '../server/http/service-resolver.ts';
import type { MetricRegistry } from '../server/metrics/metric-registry.ts';
import { LateLister } from '../server/own/late-lister.ts';
import { LazyLister } from '../server/own/lazy-lister.ts';
import type { Lister } from '../server/own/lister.ts';
import { createObjectReader, type ObjectReader } from '../server/own/object-reader.ts';
import { OwnWriter } from '../server/own/own-writer.ts';
import {
  isStoredResource,
  type OpenResource,
  openResource,
  type StoredResource,
} from '../server/resource/open-resource.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import { ensureMeta } from '../server/resource/strategy-fields.ts';
import { ResourceServer, type ResourceServerOptions } from '../server/resource-server.ts';
import { compiledInPlugins } from './admission/plugins.ts';
import type { TolerationDefaults } from './admission/pod/default-toleration-seconds.ts';
import type { AuthenticationTrust } from './bootstrap/authentication-config-map.ts';
import { fillServer, type ServerListers } from './bootstrap/bootstrap-server.ts';
import type { IdentityLease } from './bootstrap/identity-lease.ts';
import { defaultServiceNetwork, type ServiceNetwork } from './bootstrap/service-network.ts';
import { StoredObjects } from './ensurer/object-ensurer.ts';
import { FLOW_CONTROL_MANAGER, FlowController } from './flow-control/flow-controller.ts';
import { groupPriority, versionPriority } from './group-priorities.ts';
import type { ClusterFamilies } from './groups/core/service/ip-families.ts';
import { createServiceAccountAuthenticator, type LegacyUse } from './identity/service-account-authenticator.ts';
import { tokenSubresource } from './identity/token-request.ts';
import type { KubeContext } from './kube-context.ts';
import { createRbacAuthorizer, type RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { kubeResources } from './resources.ts';
import { parseRuntimeConfig } from './runtime-config.ts';
import { serviceObjects } from './shared/service-objects.ts';

/** `Node` is accepted and says nothing: there are no nodes yet. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node';

export interface ServiceAccountsConfig {
  /** The first one signs, all are accepted. */
  readonly issuers: readonly string[];
  readonly signingKey: PrivateKey;
  /** Any of these may have signed a token that is accepted. */
  readonly verifyKeys: readonly PublicKey[];
  /** 0 for no limit. */
  readonly maxExpirationSeconds: number;
  /** Whether tokens that a kubelet mounts live for a year, with warnings after the hour that was asked for. */
  readonly extendExpiration: boolean;
  /** Whether tokens kept in Secrets are compared with their Secret. */
  readonly lookup: boolean;
  /** '' makes it from the external address. */
  readonly jwksUri: string;
}

/** What the resource server is told beside what this server decides itself. */
type ServingOptions = Omit<ResourceServerOptions, 'admission' | 'authorizer'>;

export interface KubeServerOptions extends ServingOptions {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /** How a bearer token is judged, for TokenReview: asked when a review comes, so it may be composed later and call `serviceAccountTokens`. */
  readonly authenticateToken: TokenAuthenticator;
  /** What tokens are for: `--api-audiences`, by default the first issuer. */
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccountsConfig;
  readonly admission: {
    readonly enable: readonly string[];
    readonly disable: readonly string[];
    readonly tolerations?: TolerationDefaults;
    /** Plugins besides the compiled-in ones. Default none. */
    readonly plugins?: readonly AdmissionPlugin[];
  };
  /** Default: the durations of admission are not measured. */
  readonly metricRegistry?: MetricRegistry;
  /** In order; members of system:masters are always allowed. */
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Published for extension servers. */
  readonly trust: AuthenticationTrust;
  /** `--event-ttl`; 0 keeps events for ever. */
  readonly eventTtlSeconds: number;
  /** `--runtime-config`: entries such as `group/version=true`. Default: stable versions alone. */
  readonly runtimeConfig?: readonly string[];
  /** Kinds of other layers that are served with the built-in ones. Default none. */
  readonly resources?: readonly ResourceDefinition[];
  /** Where Services get their addresses, and how this server is reached. Default: the reference's ranges, and by nobody. */
  readonly network?: ServiceNetwork;
}

export interface KubeServer {
  readonly handle: RequestHandler;
  readonly authorizer: Authorizer;
  /** For servers behind this one: what is written there is admitted by the same plugins. */
  readonly admission: Admission;
  /** For the admission of servers behind this one. */
  readonly namespaces: NamespaceReader;
  /** The tokens of ServiceAccounts; to be composed with other ways to authenticate. */
  readonly serviceAccountTokens: TokenAuthenticator;
  /** To which flow schema and priority level a request belongs. */
  readonly flows: FlowMatcher;
  /** For webhooks and servers that stand behind a Service. */
  readonly services: ServiceObjects;
  /** `externalAddress` is host and port under which clients reach us. */
  openIdDocuments(externalAddress: string): Promise<OpenIdResult>;
  /** Starts the stores and writes what a fresh server contains. Once. */
  start(): Promise<void>;
  /** Ends every watch cleanly, now and from now on. */
  drain(): void;
  stop(): Promise<void>;
}

/** Throws ConfigError for an admission plugin or a version that nobody knows. */
export function createKubeServer(options: KubeServerOptions): KubeServer {
  const network = options.network ?? defaultServiceNetwork();
  const resources = openResources(options, network);
  let lease: IdentityLease | undefined;
  let stopped = false;
  const { stored, listers, rbac, authorizer, readers } = resources;
  const admission = createAdmission(
    [
      namespaceLifecycle(listers.namespaces),
      ...compiledInPlugins(resources.world, options.admission.tolerations),
      ...(options.admission.plugins ?? []),
    ],
    options.admission,
    options.metricRegistry && createAdmissionObserver(options.metricRegistry, options.clock),
  );
  for (const warning of admission.warnings) options.logger.warn(warning);
  const namespaces = namespaceReader(listers.namespaces);
  const server = new ResourceServer({ ...options, admission, authorizer, namespaces });
  server.install([...stored.values()], {
    groupPriority,
    versionPriority,
    typeName,
    typesFingerprint: factsFingerprint,
    ownsGroups: true,
  });
  const { issuers, verifyKeys, lookup, jwksUri } = options.serviceAccounts;
  const serviceAccountTokens = createServiceAccountAuthenticator({
    issuers,
    keys: verifyKeys,
    apiAudiences: options.apiAudiences,
    lookup,
    clock: options.clock,
    ...readers,
    noteLegacyUse: (use) => noteLegacyUse(resources.world.writer('secrets'), use, options.logger),
  });
  const flows = createFlowController(options, resources);
  return {
    handle: server.handle,
    authorizer,
    admission,
    namespaces,
    serviceAccountTokens,
    flows,
    services: serviceObjects(resources.world),
    openIdDocuments: (externalAddress) =>
      createOpenIdDocuments({ issuer: issuers[0] ?? '', jwksUri, externalAddress, keys: verifyKeys }),
    start: async () => {
      lease = await fillServer({
        ...options,
        network,
        listers,
        resource: resources.world.resource,
        writer: resources.world.writer,
        startLister: (plural) => startLister(stored, plural),
      });
      if (stopped) await lease?.stop();
      await flows.start();
    },
    drain: () => server.drain(),
    stop: async () => {
      stopped = true;
      server.drain();
      rbac.stop();
      flows.stop();
      await lease?.stop();
      await Promise.all([...stored.values()].map((resource) => resource.stop()));
    },
  };
}

/** Reads namespaces for admission, fresh to the last answered write. */
function namespaceReader(namespaces: Lister): NamespaceReader {
  return (name) => andThen(namespaces.fresh(), () => namespaces.get('', name));
}

function createFlowController({ clock, logger }: KubeServerOptions, { stored, world }: OpenResources): FlowController {
  return new FlowController({
    schemas: world.lister('flowschemas'),
    levels: world.lister('prioritylevelconfigurations'),
    schemaWriter: new OwnWriter(resourceOf(stored, 'flowschemas'), { fieldManager: FLOW_CONTROL_MANAGER }),
    objects: new StoredObjects((plural) => resourceOf(stored, plural)),
    clock,
    logger,
  });
}

interface OpenResources {
  readonly stored: ReadonlyMap<string, OpenResource>;
  readonly listers: ServerListers;
  readonly rbac: RbacAuthorizer;
  readonly authorizer: Authorizer;
  readonly world: KubeContext;
  readonly readers: Readonly<Record<'serviceAccounts' | 'secrets' | 'pods' | 'nodes', ObjectReader>>;
}

function openResources(options: KubeServerOptions, { ranges, nodePorts }: ServiceNetwork): OpenResources {
  const { host, clock, apiAudiences } = options;
  const listers: ServerListers = {
    namespaces: new LateLister(),
    roles: new LateLister(),
    rolebindings: new LateLister(),
    clusterroles: new LateLister(),
    clusterrolebindings: new LateLister(),
  };
  const rbac = createRbacAuthorizer({
    roles: listers.roles,
    roleBindings: listers.rolebindings,
    clusterRoles: listers.clusterroles,
    clusterRoleBindings: listers.clusterrolebindings,
  });
  const authorizer = authorizerOf(options.authorizationModes, rbac);
  const { issuers, signingKey, maxExpirationSeconds, extendExpiration } = options.serviceAccounts;
  const signer = createTokenSigner({ issuer: issuers[0] ?? '', key: signingKey });
  const token = tokenSubresource(() => ({
    signer,
    apiAudiences,
    maxExpirationSeconds,
    extendExpiration,
    clock,
    ...readers,
  }));
  const stored = new Map<string, OpenResource>();
  const runtimeConfig = parseRuntimeConfig(options.runtimeConfig ?? []);
  const world = createWorld(options, stored, () => authorizer);
  const kinds = kubeResources({
    kube: world,
    eventTtlSeconds: options.eventTtlSeconds,
    token,
    rbac,
    runtimeConfig,
    clock,
    others: options.resources ?? [],
    tokenReview: { authenticateToken: options.authenticateToken, apiAudiences },
    network: { families: familiesOf(ranges), nodePorts },
  });
  for (const { definition } of kinds) stored.set(definition.plural, openResource(definition, host));
  for (const { definition, wrapStore } of kinds) {
    const open = stored.get(definition.plural);
    if (wrapStore === undefined || open === undefined || !isStoredResource(open)) continue;
    stored.set(definition.plural, { ...open, store: wrapStore(open, world) });
  }
  const readers = {
    serviceAccounts: readerOf(stored, 'serviceaccounts'),
    secrets: readerOf(stored, 'secrets'),
    pods: readerOf(stored, 'pods'),
    nodes: readerOf(stored, 'nodes'),
  };
  return { stored, listers, rbac, authorizer, world, readers };
}

function familiesOf([first, ...more]: ServiceNetwork['ranges']): ClusterFamilies {
  return [first.family, ...more.map(({ family }) => family)];
}

function createWorld(
  { host, logger, discovery }: KubeServerOptions,
  stored: ReadonlyMap<string, OpenResource>,
  authorizer: () => Authorizer,
): KubeContext {
  const listers = new Map<string, LazyLister>();
  const writers = new Map<string, OwnWriter>();
  return {
    host,
    logger,
    resource: (plural) => resourceOf(stored, plural),
    pluralOf: (kind) => publishedKind(discovery, kind)?.plural,
    isNamespaced: (kind) => publishedKind(discovery, kind)?.scope === 'Namespaced',
    writer: (plural) => {
      let writer = writers.get(plural);
      if (writer === undefined) {
        writer = new OwnWriter(resourceOf(stored, plural));
        writers.set(plural, writer);
      }
      return writer;
    },
    reader: (plural) => readerOf(stored, plural),
    lister: (plural) => {
      let lister = listers.get(plural);
      if (lister === undefined) {
        lister = new LazyLister(() => startLister(stored, plural));
        listers.set(plural, lister);
      }
      return lister;
    },
    authorizer,
  };
}

function publishedKind(discovery: DiscoveryPublisher, kind: GroupVersionKind): DiscoveryResource | undefined {
  return discovery.get(kind)?.resources.find((resource) => resource.kind.kind === kind.kind);
}

function startLister(stored: ReadonlyMap<string, OpenResource>, plural: string): Promise<Lister> {
  return resourceOf(stored, plural).registry.lister();
}

function authorizerOf(modes: readonly AuthorizationMode[], rbac: Authorizer): Authorizer {
  const byMode: Readonly<Record<AuthorizationMode, readonly Authorizer[]>> = {
    RBAC: [rbac],
    AlwaysAllow: [ALWAYS_ALLOW],
    AlwaysDeny: [ALWAYS_DENY],
    Node: [],
  };
  return unionAuthorizer([privilegedGroupsAuthorizer([MASTERS_GROUP]), ...modes.flatMap((mode) => byMode[mode])]);
}

function resourceOf(resources: ReadonlyMap<string, OpenResource>, plural: string): StoredResource {
  const resource = resources.get(plural);
  if (resource === undefined || !isStoredResource(resource)) throw new BugError(`there are no stored ${plural}`);
  return resource;
}

function readerOf(stored: ReadonlyMap<string, OpenResource>, plural: string): ObjectReader {
  return createObjectReader(resourceOf(stored, plural));
}

/** Writes the date onto the Secret, beside the request that showed it. A failure is logged and does not fail the request. */
function noteLegacyUse(secrets: OwnWriter, { namespace, name, uid, date }: LegacyUse, logger: Logger): void {
  const written = secrets.update(
    { namespace, name },
    (secret) => {
      ensureObject(ensureMeta(secret), 'labels')[LAST_USED_LABEL] = date;
    },
    { preconditions: { uid, resourceVersion: undefined } },
  );
  written.catch((error: unknown) => {
    if (isNotFound(error) || isConflict(error)) return;
    logger.warn('the use of a token in a Secret could not be noted', { reason: toError(error).message });
  });
}
