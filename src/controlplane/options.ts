/**
 * The options of a control plane, as plain data: the first of three stages (ServerOptions → CompletedOptions →
 * ControlPlane). Nothing here reads a file or starts anything. `defaultOptions` holds every default. The comment of an
 * option says if its default differs from kube-apiserver's.
 */
import { ConfigError } from '../base/errors.ts';
import { AUTHORIZATION_MODES, type AuthorizationMode } from '../kube/authorization-modes.ts';
import type { AdmissionPlugin } from '../server/admission.ts';
import type { ServiceRouting } from '../server/http/service-resolver.ts';
import { DEFAULT_ETCD, type EtcdOptions } from './etcd-options.ts';
import { DEFAULT_LEADER_ELECTION, type LeaderElectionOptions } from './leader-election-options.ts';
import { type OptionChoices, optionProblem } from './option-problem.ts';

/** The paths of a certificate and its key, PEM files, for some server names. */
export interface SniFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** If empty, the names in the certificate apply. */
  readonly names: readonly string[];
}

export interface ServingOptions {
  /** `--bind-address`. Default 127.0.0.1. kube-apiserver listens on every interface by default. */
  readonly bindAddress: string;
  /** `--secure-port`. 0 takes any free port. */
  readonly port: number;
  /**
   * `--advertise-address`: the address at which other machines reach the server. The serving certificate contains it.
   * '': the bind address.
   */
  readonly advertiseAddress: string;
  /**
   * `--external-hostname`: the name by which other machines reach the server. The serving certificate contains it. '':
   * none.
   */
  readonly externalHostname: string;
  /**
   * `--cert-dir`: the folder of `apiserver.crt` and `apiserver.key`, which are created if they do not exist. '': the
   * folder of the other keys in the data folder.
   */
  readonly certDir: string;
  /** `--tls-cert-file` and `--tls-private-key-file`: set both, or leave both ''. */
  readonly certFile: string;
  readonly keyFile: string;
  /** `--tls-sni-cert-key`. */
  readonly sni: readonly SniFiles[];
  /** `--tls-min-version`. */
  readonly minTlsVersion: 'TLSv1.2' | 'TLSv1.3';
  /** `--http2-max-streams-per-connection`. 0 is the listener's default. */
  readonly maxStreamsPerConnection: number;
  /**
   * `--goaway-chance`: the probability with which a request ends its HTTP/2 connection, so that clients spread over the
   * servers behind a load balancer. From 0 to 0.02. 0: never.
   */
  readonly goawayChance: number;
  /** `--strict-transport-security-directives`: the header of every response. Empty: the header is not sent. */
  readonly strictTransportSecurity: readonly string[];
}

export interface RequestHeaderOptions {
  /** `--requestheader-client-ca-file`. '' is the front-proxy CA of the data folder. */
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface ServiceAccountOptions {
  /** `--service-account-issuer`: new tokens have the first issuer; tokens of all issuers are accepted. */
  readonly issuers: readonly string[];
  /** `--service-account-key-file`: public keys, private keys or certificates. Empty: the keys of the data folder. */
  readonly keyFiles: readonly string[];
  /** `--service-account-signing-key-file`. '' is the key of the data folder. */
  readonly signingKeyFile: string;
  /** `--service-account-jwks-uri`. '' is derived from the external address. */
  readonly jwksUri: string;
  /** `--service-account-lookup`. */
  readonly lookup: boolean;
  /** `--service-account-max-token-expiration` in seconds. 0 means no limit. */
  readonly maxExpirationSeconds: number;
  /** `--service-account-extend-token-expiration`. */
  readonly extendExpiration: boolean;
}

export interface AuthenticationOptions {
  /** `--anonymous-auth`. */
  readonly anonymous: boolean;
  /** `--client-ca-file`. '' is the CA of the data folder. */
  readonly clientCaFile: string;
  /** `--token-auth-file`. '' for none. */
  readonly tokenFile: string;
  /** `--api-audiences`. Empty: the first issuer. */
  readonly apiAudiences: readonly string[];
  readonly requestHeader: RequestHeaderOptions;
  readonly serviceAccounts: ServiceAccountOptions;
}

export interface AuditOptions {
  /** `--audit-policy-file`. '' logs nothing. */
  readonly policyFile: string;
  /** `--audit-log-path`. `-` is standard output, '' logs nothing. */
  readonly logPath: string;
  /** `--audit-log-maxage`, `--audit-log-maxsize` and `--audit-log-maxbackup`. 0 means no limit. */
  readonly maxAgeDays: number;
  readonly maxSizeMb: number;
  readonly maxBackups: number;
  readonly compress: boolean;
}

export interface LimitOptions {
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight`. 0 means no limit. */
  readonly readOnlyInFlight: number;
  readonly mutatingInFlight: number;
  /**
   * `--enable-priority-and-fairness`: whether responses have the headers with the flow schema and the priority level.
   */
  readonly priorityAndFairness: boolean;
  /** `--request-timeout` in milliseconds. */
  readonly requestTimeoutMs: number;
  /** `--min-request-timeout` in seconds. A watch without a timeout parameter ends between this and twice this time. */
  readonly minRequestTimeoutSeconds: number;
}

/** The proxy to extension API servers. */
export interface AggregationOptions {
  /**
   * `--enable-aggregator-routing`: true is `endpoints`, false is `cluster-ip`. See ServiceRouting. Default `available`.
   */
  readonly routing: ServiceRouting;
  /**
   * `--proxy-client-cert-file` and `--proxy-client-key-file`: set both, or leave both ''. '' is the front-proxy
   * certificate of the data folder; none if `--requestheader-client-ca-file` is set.
   */
  readonly proxyClientCertFile: string;
  readonly proxyClientKeyFile: string;
  /** `--aggregator-reject-forwarding-redirect`. */
  readonly rejectRedirects: boolean;
}

/** Addresses and ports of Services. */
export interface NetworkOptions {
  /** `--service-cluster-ip-range`: one CIDR, or one per IP family, separated by a comma. */
  readonly serviceRange: string;
  /** `--service-node-port-range`. */
  readonly nodePorts: { readonly first: number; readonly size: number };
  /** `--endpoint-reconciler-type`. With `none` the server does not write the endpoints of `default/kubernetes`. */
  readonly endpointReconciler: 'lease' | 'master-count' | 'none';
  /** `--kubernetes-service-node-port`: the node port of `default/kubernetes`. 0 for none. */
  readonly serviceNodePort: number;
}

/**
 * The fields of `/version` that `kubectl --match-server-version` compares with its own. '': the value of this build.
 */
export interface ReportedVersionOptions {
  /**
   * `--version=v1.36.3-...`: `gitVersion`. Must be a version of the kube-apiserver release that this server follows.
   */
  readonly version: string;
  /** `--version-commit`: `gitCommit`. */
  readonly commit: string;
  /** `--version-tree-state`: `gitTreeState`. */
  readonly treeState: '' | 'clean' | 'dirty';
}

/** Encryption of stored values. */
export interface EncryptionOptions {
  /** `--encryption-provider-config`: an EncryptionConfiguration. '' encrypts nothing. */
  readonly configFile: string;
  /** `--encryption-provider-config-automatic-reload`: whether changes of the file are used without a restart. */
  readonly reload: boolean;
}

export interface ServerOptions {
  /**
   * The folder of keys, certificates, the admin's kubeconfig and, with `lmdb`, the objects. It is created if it does
   * not exist. Default `.keelson` in the working folder. '' with `memory`: keys and certificates are in memory, too.
   */
  readonly dataDir: string;
  readonly storage: 'memory' | 'lmdb' | 'etcd';
  readonly etcd: EtcdOptions;
  readonly reported: ReportedVersionOptions;
  /** The path of the admin's kubeconfig. '' is `admin.kubeconfig` in the data folder; none without a data folder. */
  readonly kubeconfigFile: string;
  /** `--etcd-compaction-interval` in milliseconds. 0 disables compaction. */
  readonly compactionIntervalMs: number;
  readonly encryption: EncryptionOptions;
  readonly serving: ServingOptions;
  readonly authentication: AuthenticationOptions;
  readonly aggregation: AggregationOptions;
  /** `--authorization-mode`. Default RBAC. kube-apiserver's default is AlwaysAllow. */
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Admission plugins of the embedding program. They run before policies and webhooks. Default none. */
  readonly admissionPlugins: readonly AdmissionPlugin[];
  /** `--enable-admission-plugins` and `--disable-admission-plugins`. */
  readonly enableAdmission: readonly string[];
  readonly disableAdmission: readonly string[];
  /** `--admission-control-config-file`: the configurations of admission plugins. '' for none. */
  readonly admissionConfigFile: string;
  /**
   * The feature gate ManifestBasedAdmissionControlConfig: whether plugins may have a `staticManifestsDir`. Default false.
   */
  readonly admissionManifests: boolean;
  /** `--default-not-ready-toleration-seconds`: the toleration of the taint not-ready that pods get by default. */
  readonly notReadySeconds: number;
  /** `--default-unreachable-toleration-seconds`: the toleration of the taint unreachable that pods get by default. */
  readonly unreachableSeconds: number;
  /**
   * `--runtime-config`: entries such as `group/version=true`. Versions without an entry are served as in
   * kube-apiserver.
   */
  readonly runtimeConfig: readonly string[];
  /**
   * `--controllers` of kube-controller-manager: the control loops that run with the server. `*` is all, `name` one,
   * `-name` all but one; the first mention of a name decides. Empty: none. Default `*`.
   */
  readonly controllers: readonly string[];
  readonly leaderElection: LeaderElectionOptions;
  /** `--resource-quota-sync-period` of kube-controller-manager, in milliseconds. 0: never. Default 5 minutes. */
  readonly resourceQuotaSyncMs: number;
  readonly audit: AuditOptions;
  readonly limits: LimitOptions;
  readonly network: NetworkOptions;
  /** `--event-ttl` in seconds. */
  readonly eventTtlSeconds: number;
  /** `--shutdown-delay-duration` in milliseconds: how long requests are served at shutdown while `/readyz` fails. */
  readonly shutdownDelayMs: number;
  /**
   * `--shutdown-send-retry-after`: whether connections are still accepted at shutdown until the requests in flight have
   * ended. New requests get 429 with Retry-After.
   */
  readonly shutdownSendRetryAfter: boolean;
  /** The time in milliseconds that requests in flight have to finish at shutdown. */
  readonly shutdownGraceMs: number;
  /** `--livez-grace-period` in milliseconds. */
  readonly livezGracePeriodMs: number;
}

export const defaultOptions: ServerOptions = {
  dataDir: '.keelson',
  storage: 'lmdb',
  etcd: DEFAULT_ETCD,
  reported: { version: '', commit: '', treeState: '' },
  kubeconfigFile: '',
  compactionIntervalMs: 300_000,
  encryption: { configFile: '', reload: false },
  serving: {
    bindAddress: '127.0.0.1',
    port: 6443,
    advertiseAddress: '',
    externalHostname: '',
    certDir: '',
    certFile: '',
    keyFile: '',
    sni: [],
    minTlsVersion: 'TLSv1.2',
    maxStreamsPerConnection: 0,
    goawayChance: 0,
    strictTransportSecurity: [],
  },
  authentication: {
    anonymous: true,
    clientCaFile: '',
    tokenFile: '',
    apiAudiences: [],
    // kubeadm's values. The front-proxy certificate of the data folder has the allowed name.
    requestHeader: {
      clientCaFile: '',
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    },
    serviceAccounts: {
      // kubeadm's default.
      issuers: ['https://kubernetes.default.svc.cluster.local'],
      keyFiles: [],
      signingKeyFile: '',
      jwksUri: '',
      lookup: true,
      maxExpirationSeconds: 0,
      extendExpiration: true,
    },
  },
  aggregation: { routing: 'available', proxyClientCertFile: '', proxyClientKeyFile: '', rejectRedirects: true },
  authorizationModes: ['RBAC'],
  enableAdmission: [],
  admissionPlugins: [],
  disableAdmission: [],
  admissionConfigFile: '',
  admissionManifests: false,
  notReadySeconds: 300,
  unreachableSeconds: 300,
  runtimeConfig: [],
  controllers: ['*'],
  leaderElection: DEFAULT_LEADER_ELECTION,
  resourceQuotaSyncMs: 300_000,
  network: {
    serviceRange: '10.0.0.0/24',
    nodePorts: { first: 30000, size: 2768 },
    endpointReconciler: 'lease',
    serviceNodePort: 0,
  },
  audit: {
    policyFile: '',
    logPath: '',
    maxAgeDays: 366,
    maxSizeMb: 100,
    maxBackups: 100,
    compress: false,
  },
  limits: {
    readOnlyInFlight: 400,
    mutatingInFlight: 200,
    priorityAndFairness: true,
    requestTimeoutMs: 60_000,
    minRequestTimeoutSeconds: 1_800,
  },
  eventTtlSeconds: 3_600,
  shutdownDelayMs: 0,
  shutdownSendRetryAfter: false,
  shutdownGraceMs: 5_000,
  livezGracePeriodMs: 0,
};

/** Makes every option optional, at every depth. A list replaces the default list as a whole. */
export type PartialOptions<T> = {
  readonly [Key in keyof T]?: T[Key] extends readonly unknown[]
    ? T[Key]
    : T[Key] extends object
      ? PartialOptions<T[Key]>
      : T[Key];
};

/** Fills in the defaults. Throws ConfigError for an unknown option or a value of a wrong type. */
export function serverOptions(given: PartialOptions<ServerOptions> = {}): ServerOptions {
  checkOptions(given);
  return mergeOptions(defaultOptions, given);
}

/** The valid values of options that have only a few. */
const CHOICES: OptionChoices = {
  storage: ['memory', 'lmdb', 'etcd'],
  'etcd.mediaType': ['application/json', 'application/vnd.kubernetes.protobuf'],
  'serving.minTlsVersion': ['TLSv1.2', 'TLSv1.3'],
  'aggregation.routing': ['endpoints', 'cluster-ip', 'available'],
  'network.endpointReconciler': ['lease', 'master-count', 'none'],
  authorizationModes: AUTHORIZATION_MODES,
};

/** Throws ConfigError for an unknown option, and for a value whose type differs from that of the default. */
function checkOptions(given: PartialOptions<ServerOptions>): void {
  const problem = optionProblem(given, defaultOptions, CHOICES);
  if (problem !== undefined) throw new ConfigError(problem);
}

/** Returns a copy of `base` with the values of `given` that are not undefined. Modifies neither. */
export function mergeOptions<T>(base: T, given: PartialOptions<T>): T {
  return merge(base, given) as T;
}

function merge(base: unknown, given: unknown): unknown {
  if (!isPlain(base) || !isPlain(given)) return given;
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) merged[name] = merge(base[name], value);
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
