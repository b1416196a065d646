/**
 * The server for built-in kinds, in the middle of the chain: their resources, admission, RBAC, service account tokens,
 * flow control, and the objects of a new server.
 * Invariant: nothing is read or written before `start()`. Requests that need the server's own objects wait for it.
 * Requests for unknown groups go to the delegate unchanged.
 */
import { createAdmissionObserver } from '../admission/admission-metrics.ts';
import { createHookMetrics, type HookMetrics } from '../admission/hook-metrics.ts';
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { type AdmissionChain, createAdmission } from '../admission/plugin-chain.ts';
import { mutatingAdmissionPolicy } from '../admission/policies/mutating-policies.ts';
import { validatingAdmissionPolicy } from '../admission/policies/validating-policies.ts';
import { mutatingAdmissionWebhook } from '../admission/webhooks/mutating-webhooks.ts';
import { validatingAdmissionWebhook } from '../admission/webhooks/validating-webhooks.ts';
import { factsFingerprint, typeName } from '../kinds/views.ts';
import { createOpenIdDocuments, type OpenIdResult } from '../pki/jwks.ts';
import type { Admission, AdmissionPlugin } from '../server/admission.ts';
import type { TokenAuthenticator } from '../server/authenticator.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { NamespaceReader } from '../server/endpoints/endpoint.ts';
import type { FlowMatcher } from '../server/flow-matcher.ts';
import type { RequestHandler } from '../server/http/server-request.ts';
import type { ServiceObjects } from '../server/http/service-resolver.ts';
import { findObject } from '../server/own/find-object.ts';
import { LateLister } from '../server/own/late-lister.ts';
import type { Lister } from '../server/own/lister.ts';
import { OwnWriter } from '../server/own/own-writer.ts';
import { type CountedResource, countedResource } from '../server/resource/counted-resource.ts';
import { isStoredResource, type OpenResource, type StoredResource } from '../server/resource/open-resource.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import { ResourceServer } from '../server/resource-server.ts';
import { paramKinds } from './admission/param-objects.ts';
import { compiledInPlugins } from './admission/plugins.ts';
import { authorizerOf } from './authorization-modes.ts';
import { attachListers, bootstrapServer, type Presence, type ServerListers } from './bootstrap/bootstrap-server.ts';
import { defaultServiceNetwork } from './bootstrap/service-network.ts';
import { ObjectEnsurer } from './ensurer/object-ensurer.ts';
import { FlowController } from './flow-control/flow-controller.ts';
import { groupPriority, versionPriority } from './group-priorities.ts';
import { recordLegacyUse } from './identity/record-legacy-use.ts';
import { createServiceAccountAuthenticator } from './identity/service-account-authenticator.ts';
import type { KubeContext } from './kube-context.ts';
import type { KubeServerOptions } from './kube-server-options.ts';
import { openResources } from './open-resources.ts';
import { createRbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { serviceObjects } from './shared/service-objects.ts';

export interface KubeServer {
  readonly handle: RequestHandler;
  readonly authorizer: Authorizer;
  /** The admission chain, which the delegate uses for its own kinds. */
  readonly admission: Admission;
  /** Reads namespaces for the admission of the delegate. */
  readonly namespaces: NamespaceReader;
  /** Authenticates service account tokens. The caller composes it with other authenticators. */
  readonly serviceAccountTokens: TokenAuthenticator;
  /** Finds the flow schema and the priority level of a request. */
  readonly flows: FlowMatcher;
  /** Reads Services and EndpointSlices, for webhooks and extension servers that are reached through a Service. */
  readonly services: ServiceObjects;
  /** The declarations of all built-in resources, and of those that were given in the options. */
  readonly definitions: readonly ResourceDefinition[];
  /** Returns a stored resource. Throws BugError for a plural that is not one. */
  resource(plural: string): StoredResource;
  /** Returns the lister of a resource. It starts at the first `fresh()`. */
  lister(plural: string): Lister;
  /** Returns the prefix of the storage keys of a resource; undefined if it is not stored or not built in. */
  storagePrefix(group: string, plural: string): string | undefined;
  /** The stored resources, to be counted for metrics. */
  counted(): readonly CountedResource[];
  /** Makes the OpenID documents. `externalAddress` is the host and port of this server for clients. */
  openIdDocuments(externalAddress: string): Promise<OpenIdResult>;
  /**
   * Starts the stores and, unless `readOnly`, writes the objects of a new server. Called once. Rejects if an object
   * cannot be written.
   */
  start(): Promise<void>;
  /**
   * Removes this server from the endpoints of `default/kubernetes`, if others share its storage. Called before it
   * refuses requests.
   */
  leave(): Promise<void>;
  /** Ends every watch cleanly, including those that begin later. */
  drain(): void;
  /** Drains, removes the server's Lease and stops the stores. */
  stop(): Promise<void>;
}

/** Throws ConfigError for an unknown admission plugin and for an invalid `--runtime-config`. */
export function createKubeServer(options: KubeServerOptions): KubeServer {
  const { clock, logger, serviceAccounts, network = defaultServiceNetwork() } = options;
  const listers = createServerListers();
  const rbac = createRbacAuthorizer({
    roles: listers.roles,
    roleBindings: listers.rolebindings,
    clusterRoles: listers.clusterroles,
    clusterRoleBindings: listers.clusterrolebindings,
  });
  const authorizer = authorizerOf(options.authorizationModes, rbac);
  const { resources, kube } = openResources({ server: options, network, rbac, authorizer });
  const admission = createAdmissionChain(options, kube, listers.namespaces);
  const namespaces = namespaceReader(listers.namespaces);

  const server = new ResourceServer({ ...options, admission, authorizer, namespaces });
  server.install(resources, {
    groupPriority,
    versionPriority,
    typeName,
    typesFingerprint: factsFingerprint,
    ownsGroups: true,
  });

  const { issuers, verifyKeys, lookup, jwksUri } = serviceAccounts;
  const serviceAccountTokens = createServiceAccountAuthenticator({
    issuers,
    keys: verifyKeys,
    apiAudiences: options.apiAudiences,
    lookup,
    clock,
    serviceAccounts: kube.reader('serviceaccounts'),
    secrets: kube.reader('secrets'),
    pods: kube.reader('pods'),
    nodes: kube.reader('nodes'),
    noteLegacyUse: (use) => recordLegacyUse(kube.writer('secrets'), use, logger),
  });
  const flows = new FlowController({
    schemas: kube.lister('flowschemas'),
    levels: kube.lister('prioritylevelconfigurations'),
    schemaWriter: new OwnWriter(kube.resource('flowschemas')),
    ensurer: new ObjectEnsurer(kube.resource),
    clock,
    logger,
    ...(options.readOnly === true && { readOnly: true }),
  });

  const prefixes = storagePrefixes(resources);
  let presence: Presence | undefined;
  let stopped = false;
  return {
    handle: server.handle,
    authorizer,
    admission,
    namespaces,
    serviceAccountTokens,
    flows,
    services: serviceObjects(kube),
    definitions: resources.map(({ definition }) => definition),
    resource: kube.resource,
    lister: kube.lister,
    storagePrefix: (group, plural) => prefixes.get(`${group}/${plural}`),
    counted: () => resources.filter(isStoredResource).map(countedResource),
    openIdDocuments: (externalAddress) =>
      createOpenIdDocuments({ issuer: issuers[0] ?? '', jwksUri, externalAddress, keys: verifyKeys }),
    start: async () => {
      if (options.readOnly === true) await attachListers(kube, listers);
      else presence = await bootstrapServer({ kube, network, trust: options.trust, keys: serviceAccounts, listers });
      if (stopped) await presence?.stop();
      await flows.start();
    },
    leave: async () => presence?.leave(),
    drain: () => server.drain(),
    stop: async () => {
      stopped = true;
      server.drain();
      rbac.stop();
      flows.stop();
      await presence?.stop();
      await Promise.all(resources.map((resource) => resource.stop()));
    },
  };
}

/** By `group/plural`. A resource may have versions in several groups. */
function storagePrefixes(resources: readonly OpenResource[]): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const { definition } of resources.filter(isStoredResource))
    for (const { group } of definition.versions)
      prefixes.set(`${group}/${definition.plural}`, definition.storagePrefix);
  return prefixes;
}

/** The listers exist before their stores start: the authorizer and admission need them to open the stores. */
function createServerListers(): ServerListers {
  return {
    namespaces: new LateLister(),
    roles: new LateLister(),
    rolebindings: new LateLister(),
    clusterroles: new LateLister(),
    clusterrolebindings: new LateLister(),
  };
}

function createAdmissionChain(options: KubeServerOptions, kube: KubeContext, namespaces: Lister): AdmissionChain {
  const { admission, metricRegistry, clock } = options;
  const metrics = metricRegistry && createHookMetrics(metricRegistry, clock);
  const plugins = [
    namespaceLifecycle(namespaceReader(namespaces)),
    ...compiledInPlugins(kube, {
      tolerations: admission.tolerations,
      metricRegistry,
      configurations: admission.configurations,
    }),
    ...policyPlugins(options, kube, metrics),
    ...webhookPlugins(options, kube, metrics),
    ...(admission.plugins ?? []),
  ];
  const observer = metricRegistry && createAdmissionObserver(metricRegistry, clock);
  return createAdmission(plugins, admission, observer);
}

function policyPlugins(
  { admission }: KubeServerOptions,
  kube: KubeContext,
  metrics: HookMetrics | undefined,
): readonly AdmissionPlugin[] {
  const { transport, configurations: { manifests } = {} } = admission;
  if (transport === undefined) return [];
  const parts = { params: paramKinds(kube, transport), authorizer: kube.authorizer, metrics };
  return [
    mutatingAdmissionPolicy({
      ...parts,
      policies: kube.lister('mutatingadmissionpolicies'),
      bindings: kube.lister('mutatingadmissionpolicybindings'),
      manifests: manifests?.MutatingAdmissionPolicy,
    }),
    validatingAdmissionPolicy({
      ...parts,
      policies: kube.lister('validatingadmissionpolicies'),
      bindings: kube.lister('validatingadmissionpolicybindings'),
      manifests: manifests?.ValidatingAdmissionPolicy,
    }),
  ];
}

function webhookPlugins(
  { admission, clock, logger }: KubeServerOptions,
  kube: KubeContext,
  metrics: HookMetrics | undefined,
): readonly AdmissionPlugin[] {
  const { webhooks, configurations = {} } = admission;
  if (webhooks === undefined) return [];
  const parts = { ...webhooks, clock, logger, metrics, authorizer: kube.authorizer, newUid: () => kube.host.newUid() };
  return [
    mutatingAdmissionWebhook({
      ...parts,
      configurations: kube.lister('mutatingwebhookconfigurations'),
      manifests: configurations.manifests?.MutatingAdmissionWebhook,
      credentials: configurations.mutatingWebhooks,
    }),
    validatingAdmissionWebhook({
      ...parts,
      configurations: kube.lister('validatingwebhookconfigurations'),
      manifests: configurations.manifests?.ValidatingAdmissionWebhook,
      credentials: configurations.validatingWebhooks,
    }),
  ];
}

/** Reads namespaces. As in the reference, one that was created through another server a moment ago is found. */
function namespaceReader(namespaces: Lister): NamespaceReader {
  return (name) => findObject(namespaces, '', name);
}
