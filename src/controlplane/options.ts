/**
 * What a control plane can be told, as plain data: the first of three stages (ServerOptions → CompletedOptions → ControlPlane). Invariant: nothing here reads a
 * file, looks at the machine or starts anything; every default is in `defaultOptions`, and where it differs from kube-apiserver's its line says so.
 */
import type { AdmissionPlugin } from '../server/admission.ts';

/** A certificate and its key, as paths of PEM files, for some server names. */
export interface SniFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty: the names in the certificate. */
  readonly names: readonly string[];
}

export interface ServingOptions {
  /** `--bind-address`. Default 127.0.0.1; the reference takes every interface. */
  readonly bindAddress: string;
  /** `--secure-port`; 0 takes any free one. */
  readonly port: number;
  /** `--advertise-address`: what others reach us by, named in the serving certificate. '' takes the bind address. */
  readonly advertiseAddress: string;
  /** `--external-hostname`, named in the serving certificate; '' for none. */
  readonly externalHostname: string;
  /** `--cert-dir`: `apiserver.crt` and `apiserver.key` are used if they are there, made otherwise. '' keeps them with the other keys in the data folder. */
  readonly certDir: string;
  /** `--tls-cert-file` and `--tls-private-key-file`; both '' if none is given. */
  readonly certFile: string;
  readonly keyFile: string;
  /** `--tls-sni-cert-key`. */
  readonly sni: readonly SniFiles[];
  /** `--tls-min-version`. */
  readonly minTlsVersion: 'TLSv1.2' | 'TLSv1.3';
  /** `--http2-max-streams-per-connection`; 0 takes the listener's own limit. */
  readonly maxStreamsPerConnection: number;
}

export interface RequestHeaderOptions {
  /** `--requestheader-client-ca-file`; '' takes the front-proxy authority of the data folder. */
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface ServiceAccountOptions {
  /** `--service-account-issuer`: the first one signs, all are accepted. */
  readonly issuers: readonly string[];
  /** `--service-account-key-file`: public keys, private keys or certificates. Empty: those of the data folder. */
  readonly keyFiles: readonly string[];
  /** `--service-account-signing-key-file`; '' takes the key of the data folder. */
  readonly signingKeyFile: string;
  /** `--service-account-jwks-uri`; '' makes it from the external address. */
  readonly jwksUri: string;
  /** `--service-account-lookup`. */
  readonly lookup: boolean;
  /** `--service-account-max-token-expiration` in seconds; 0 for no limit. */
  readonly maxExpirationSeconds: number;
  /** `--service-account-extend-token-expiration`. */
  readonly extendExpiration: boolean;
}

export interface AuthenticationOptions {
  /** `--anonymous-auth`. */
  readonly anonymous: boolean;
  /** `--client-ca-file`; '' takes the authority of the data folder. */
  readonly clientCaFile: string;
  /** `--token-auth-file`; '' for none. */
  readonly tokenFile: string;
  /** `--api-audiences`; empty takes the first issuer. */
  readonly apiAudiences: readonly string[];
  readonly requestHeader: RequestHeaderOptions;
  readonly serviceAccounts: ServiceAccountOptions;
}

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC' | 'Node';

export interface AuditOptions {
  /** `--audit-policy-file`; '' logs nothing. */
  readonly policyFile: string;
  /** `--audit-log-path`; `-` is standard output, '' logs nothing. */
  readonly logPath: string;
  /** Days, megabytes and files; 0 means no limit. */
  readonly maxAgeDays: number;
  readonly maxSizeMb: number;
  readonly maxBackups: number;
  readonly compress: boolean;
}

export interface LimitOptions {
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight`; 0 for no limit. */
  readonly readOnlyInFlight: number;
  readonly mutatingInFlight: number;
  /** `--enable-priority-and-fairness`: answers name the flow schema and the priority level of their requests. */
  readonly priorityAndFairness: boolean;
  /** `--request-timeout` in milliseconds. */
  readonly requestTimeoutMs: number;
  /** `--min-request-timeout`: a watch without a timeout of its own lasts between this and twice as long, in seconds. */
  readonly minRequestTimeoutSeconds: number;
}

/** Addresses and ports of Services. */
export interface NetworkOptions {
  /** `--service-cluster-ip-range`: one network, or one of each family with a comma between them. */
  readonly serviceRange: string;
  /** `--service-node-port-range`. */
  readonly nodePorts: { readonly first: number; readonly size: number };
  /** `--endpoint-reconciler-type`: who writes the endpoints of `default/kubernetes`; `none` leaves it to others. */
  readonly endpointReconciler: 'lease' | 'master-count' | 'none';
  /** `--kubernetes-service-node-port`: the node port of `default/kubernetes`; 0 for none. */
  readonly serviceNodePort: number;
}

export interface ServerOptions {
  /** Keys, certificates, the admin's kubeconfig and, with `lmdb`, the objects. Made if it does not exist. Default `.keelson` in the working folder. */
  readonly dataDir: string;
  readonly storage: 'memory' | 'lmdb';
  /** Where the admin's kubeconfig is written; '' is `admin.kubeconfig` in the data folder. */
  readonly kubeconfigFile: string;
  /** `--etcd-compaction-interval` in milliseconds; 0 for never. */
  readonly compactionIntervalMs: number;
  readonly serving: ServingOptions;
  readonly authentication: AuthenticationOptions;
  /** `--authorization-mode`. Default RBAC; the reference allows everything if nothing is said. */
  readonly authorizationModes: readonly AuthorizationMode[];
  /** Admission plugins of the embedding program. They run before policies and webhooks. Default none. */
  readonly admissionPlugins: readonly AdmissionPlugin[];
  /** `--enable-admission-plugins` and `--disable-admission-plugins`. */
  readonly enableAdmission: readonly string[];
  readonly disableAdmission: readonly string[];
  /** `--default-not-ready-toleration-seconds`: how long pods stay on a node that is not ready, unless they say it. */
  readonly notReadySeconds: number;
  /** `--default-unreachable-toleration-seconds`: the same for a node that cannot be reached. */
  readonly unreachableSeconds: number;
  /** `--runtime-config`: entries such as `group/version=true`; what they do not say is as in the reference. */
  readonly runtimeConfig: readonly string[];
  readonly audit: AuditOptions;
  readonly limits: LimitOptions;
  readonly network: NetworkOptions;
  /** `--event-ttl` in seconds. */
  readonly eventTtlSeconds: number;
  /** `--shutdown-delay-duration` in milliseconds: how long requests are still served after readyz began to fail. */
  readonly shutdownDelayMs: number;
  /** How long requests in flight may take to finish once no new ones are accepted; then they are cut off. */
  readonly shutdownGraceMs: number;
  /** `--livez-grace-period` in milliseconds. */
  readonly livezGracePeriodMs: number;
}

export const defaultOptions: ServerOptions = {
  dataDir: '.keelson',
  storage: 'lmdb',
  kubeconfigFile: '',
  compactionIntervalMs: 300_000,
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
  },
  authentication: {
    anonymous: true,
    clientCaFile: '',
    tokenFile: '',
    apiAudiences: [],
    // kubeadm's values, which fit the front-proxy certificate that the data folder holds.
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
  authorizationModes: ['RBAC'],
  enableAdmission: [],
  admissionPlugins: [],
  disableAdmission: [],
  notReadySeconds: 300,
  unreachableSeconds: 300,
  runtimeConfig: [],
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
  shutdownGraceMs: 5_000,
  livezGracePeriodMs: 0,
};

/** Options of which only some are said, at every depth of objects; lists are taken or left as a whole. */
export type PartialOptions<T> = {
  readonly [Key in keyof T]?: T[Key] extends readonly unknown[]
    ? T[Key]
    : T[Key] extends object
      ? PartialOptions<T[Key]>
      : T[Key];
};

/** The defaults with what is said in their place. */
export function serverOptions(said: PartialOptions<ServerOptions> = {}): ServerOptions {
  return mergeOptions(defaultOptions, said);
}

/** `said` in the place of what `base` has; undefined says nothing. Neither is changed. */
export function mergeOptions<T>(base: T, said: PartialOptions<T>): T {
  return merge(base, said) as T;
}

function merge(base: unknown, said: unknown): unknown {
  if (!isPlain(base) || !isPlain(said)) return said;
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(said)) if (value !== undefined) merged[name] = merge(base[name], value);
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
