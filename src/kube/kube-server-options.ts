/** The options of the server for built-in kinds. */

import type { ManifestObjects, ManifestPlugin } from '../admission/manifests/manifest-objects.ts';
import type { WebhookCredentials } from '../admission/webhook-credentials.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { PrivateKey, PublicKey } from '../pki/keys.ts';
import type { AdmissionPlugin } from '../server/admission.ts';
import type { TokenAuthenticator } from '../server/authenticator.ts';
import type { OutboundClient, ServiceResolver } from '../server/http/outbound.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { ResourceServerOptions } from '../server/resource-server.ts';
import type { EventLimit } from './admission/event-rate-limit/configuration.ts';
import type { TolerationDefaults } from './admission/pod/default-toleration-seconds.ts';
import type { NodeSelectors, TolerationConfiguration } from './admission/pod/scheduling-configuration.ts';
import type { PodSecurityConfiguration } from './admission/pod-security/configuration.ts';
import type { LimitedResource } from './admission/resource-quota/limited-resources.ts';
import type { AuthorizationMode } from './authorization-modes.ts';
import type { AuthenticationTrust } from './bootstrap/authentication-config-map.ts';
import type { ServiceNetwork } from './bootstrap/service-network.ts';

export interface ServiceAccountOptions {
  /** `--service-account-issuer`: the first is in new tokens, all are accepted. */
  readonly issuers: readonly string[];
  readonly signingKey: PrivateKey;
  /** A token is accepted if one of these keys has signed it. */
  readonly verifyKeys: readonly PublicKey[];
  /** `--service-account-max-token-expiration`. 0 means no limit. */
  readonly maxExpirationSeconds: number;
  /** `--service-account-extend-token-expiration`: whether tokens that a kubelet mounts are valid for a year. */
  readonly extendExpiration: boolean;
  /** `--service-account-lookup`: whether a legacy token must equal the token in its Secret. */
  readonly lookup: boolean;
  /** `--service-account-jwks-uri`. '' is derived from the external address. */
  readonly jwksUri: string;
}

/** The configurations of plugins by `--admission-control-config-file`. */
export interface PluginConfigurations {
  /** Default: namespaces without labels are privileged, and nothing is exempt. */
  readonly podSecurity?: PodSecurityConfiguration | undefined;
  /** Without it the plugin EventRateLimit cannot be enabled. */
  readonly eventLimits?: readonly EventLimit[] | undefined;
  /** Node selectors for pods of namespaces. Default: only those of annotations. */
  readonly nodeSelectors?: NodeSelectors | undefined;
  /** Tolerations for pods. Default: only those of annotations. */
  readonly podTolerations?: TolerationConfiguration | undefined;
  /** Resources that may be used only with a quota. Default none. */
  readonly limitedResources?: readonly LimitedResource[] | undefined;
  /** The credentials for webhooks. Default: they are called without. */
  readonly mutatingWebhooks?: WebhookCredentials | undefined;
  readonly validatingWebhooks?: WebhookCredentials | undefined;
  /** The objects of `staticManifestsDir`. Default: there are none. */
  readonly manifests?: Readonly<Partial<Record<ManifestPlugin, ManifestObjects>>> | undefined;
}

export interface WebhookCalls {
  readonly client: Pick<OutboundClient, 'post'>;
  readonly services: ServiceResolver;
}

export interface KubeServerOptions extends Omit<ResourceServerOptions, 'admission' | 'authorizer'> {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /**
   * Authenticates the token of a TokenReview. First called by a request, so it may be composed after the server is
   * created and include `KubeServer.serviceAccountTokens`.
   */
  readonly authenticateToken: TokenAuthenticator;
  /** `--api-audiences`: the audiences of this server. */
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: ServiceAccountOptions;
  readonly admission: {
    readonly enable: readonly string[];
    readonly disable: readonly string[];
    readonly tolerations?: TolerationDefaults;
    readonly configurations?: PluginConfigurations;
    /**
     * The feature gate ManifestBasedAdmissionControlConfig: whether names ending with `.static.k8s.io` are reserved for
     * manifest files. Default false: such names get a warning.
     */
    readonly readsManifests?: boolean;
    /** Plugins of the embedding program, besides the compiled-in ones. Default none. */
    readonly plugins?: readonly AdmissionPlugin[];
    /** Calls to admission webhooks. Default: webhook configurations are stored and not used. */
    readonly webhooks?: WebhookCalls;
    /**
     * Sends requests to the whole chain of servers, as the server's own user: policies read their parameters with it.
     * Default: policies are stored and not used.
     */
    readonly transport?: Transport;
  };
  /** Default: the durations of admission are not measured. */
  readonly metricRegistry?: MetricRegistry;
  readonly authorizationModes: readonly AuthorizationMode[];
  /**
   * Returns the CAs and headers that the server publishes for extension servers. Called at each renewal of its Lease.
   */
  readonly trust: () => AuthenticationTrust;
  /** `--event-ttl`. 0 keeps events for ever. */
  readonly eventTtlSeconds: number;
  /** `--runtime-config`: entries such as `group/version=true`. Default: stable versions only. */
  readonly runtimeConfig?: readonly string[];
  /** Whether a loop of this process empties and removes deleted namespaces. Otherwise a delete warns. Default false. */
  readonly terminatesNamespaces?: boolean;
  /**
   * Whether the storage must not be written, as that of a backup: the server writes no objects of its own. Default
   * false.
   */
  readonly readOnly?: boolean;
  /** Kinds of other layers that are served with the built-in ones. Default none. */
  readonly resources?: readonly ResourceDefinition[];
  /** The addresses of Services and of this server. Default: the reference's ranges, and no address of this server. */
  readonly network?: ServiceNetwork;
}
