/** Creates the server of the built-in kinds from the options. */
import { API_SERVICE } from '../aggregator/api-service.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { parseServiceRanges, type ServerIdentity } from '../kube/bootstrap/service-network.ts';
import type { PluginConfigurations, WebhookCalls } from '../kube/kube-server-options.ts';
import { createKubeServer, type KubeServer } from '../kube/server.ts';
import type { TokenAuthenticator } from '../server/authenticator.ts';
import type { GenericServer } from '../server/generic-server.ts';
import type { RequestHandler } from '../server/http/server-request.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { CompletedOptions } from './complete-options.ts';
import type { TlsMaterial } from './tls-material.ts';

/** The options of both resource servers: that of built-in kinds and that of custom resources. */
export type ServingParts = GenericServer['serving'] & { readonly host: RegistryHost; readonly logger: Logger };

export interface KubeParts {
  readonly webhooks: WebhookCalls | undefined;
  readonly configurations: PluginConfigurations;
  readonly readOnly: boolean;
  /** Sends requests to the whole chain, as the server's own user. */
  readonly transport: Transport;
  readonly metricRegistry: MetricRegistry;
  readonly authenticateToken: TokenAuthenticator;
  readonly delegate: RequestHandler;
  /** Returns the identity of this server; undefined until the listener listens. */
  readonly self: () => ServerIdentity | undefined;
  /** Returns the current certificates. */
  readonly tls: () => TlsMaterial;
  readonly terminatesNamespaces: boolean;
}

/** Creates the server. Throws ConfigError for an invalid option. */
export function createKube(completed: CompletedOptions, serving: ServingParts, parts: KubeParts): KubeServer {
  const { options, serviceAccounts: keys } = completed;
  const { authentication } = options;
  const { serviceAccounts, requestHeader } = authentication;
  return createKubeServer({
    ...serving,
    metricRegistry: parts.metricRegistry,
    delegate: parts.delegate,
    authenticateToken: parts.authenticateToken,
    apiAudiences:
      authentication.apiAudiences.length > 0 ? authentication.apiAudiences : serviceAccounts.issuers.slice(0, 1),
    serviceAccounts: {
      issuers: serviceAccounts.issuers,
      signingKey: keys.signingKey,
      verifyKeys: keys.verifyingKeys,
      maxExpirationSeconds: serviceAccounts.maxExpirationSeconds,
      extendExpiration: serviceAccounts.extendExpiration,
      lookup: serviceAccounts.lookup,
      jwksUri: serviceAccounts.jwksUri,
    },
    admission: {
      enable: options.enableAdmission,
      disable: options.disableAdmission,
      plugins: options.admissionPlugins,
      ...(parts.webhooks && { webhooks: parts.webhooks }),
      transport: parts.transport,
      configurations: parts.configurations,
      readsManifests: options.admissionManifests,
      tolerations: { notReadySeconds: options.notReadySeconds, unreachableSeconds: options.unreachableSeconds },
    },
    authorizationModes: options.authorizationModes,
    trust: () => {
      const { clientCaPem, requestHeaderCaPem } = parts.tls();
      return { clientCaPem, requestHeader: { ...requestHeader, caPem: requestHeaderCaPem } };
    },
    eventTtlSeconds: options.eventTtlSeconds,
    readOnly: parts.readOnly,
    resources: [API_SERVICE],
    terminatesNamespaces: parts.terminatesNamespaces,
    runtimeConfig: options.runtimeConfig,
    network: {
      ranges: parseServiceRanges(options.network.serviceRange),
      nodePorts: options.network.nodePorts,
      self: parts.self,
    },
  });
}
