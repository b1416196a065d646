/**
 * The flags of the server that have an effect, and their effects. Invariants: a flag of kube-apiserver keeps its
 * meaning, type and group; flags are applied in the order of this table, not in that of the command line.
 */

import type { SniFiles } from '../controlplane/options.ts';
import { type PortRange, parsePortRange } from '../kube/allocators/port-range.ts';
import { AUTHORIZATION_MODES, type AuthorizationMode } from '../kube/authorization-modes.ts';
import { AGGREGATION_FLAGS } from './aggregation-flags.ts';
import { AUTHENTICATION_FLAGS } from './authentication-flags.ts';
import { ETCD_FLAGS } from './etcd-flags.ts';
import { isManifestGateOn } from './feature-gates.ts';
import type { FlagValues } from './flag-values.ts';
import { LEADER_ELECTION_FLAGS } from './leader-election-flags.ts';
import { audit, group, limits, positive, type ServerFlag, seconds, server, serving } from './server-flag.ts';

export const SERVER_FLAGS: readonly ServerFlag[] = [
  ...group('Keelson', [
    [
      'data-dir',
      'string',
      'folder for keys, certificates, the kubeconfig and the objects (default ".keelson", or "keelson" in --cert-dir if --etcd-servers is set)',
      server((v) => ({ dataDir: v.path() })),
    ],
    [
      'storage',
      'string',
      'where objects are kept: lmdb (in the data folder, durable), memory, or etcd (default "lmdb", or "etcd" if --etcd-servers is set)',
      server((v) => ({ storage: v.choice(['memory', 'lmdb', 'etcd']) })),
    ],
    [
      'controllers',
      'strings',
      'control loops to run, by the names of kube-controller-manager: * for all, name for one, -name for all but one; empty for none (default *)',
      server((v) => ({ controllers: v.list() })),
    ],
    ...LEADER_ELECTION_FLAGS,
    [
      'resource-quota-sync-period',
      'duration',
      'interval at which the usage of every ResourceQuota is counted again; 0 for never (default 5m0s)',
      server((v) => ({ resourceQuotaSyncMs: v.milliseconds() })),
    ],
    [
      'kubeconfig-file',
      'string',
      'file for the admin kubeconfig (default "admin.kubeconfig" in the data folder)',
      server((v) => ({ kubeconfigFile: v.text() })),
    ],
    [
      'log-format',
      'string',
      'auto, text or json; auto is text on a terminal and json otherwise (default "auto")',
      (v) => ({ log: { format: v.choice(['auto', 'text', 'json']) } }),
    ],
    [
      'version-commit',
      'string',
      'gitCommit that /version reports; with --version=v1.36.3, for kubectl --match-server-version',
      server((v) => ({ reported: { commit: v.text() } })),
    ],
    [
      'version-tree-state',
      'string',
      'gitTreeState that /version reports: clean, dirty or "" (default "")',
      server((v) => ({ reported: { treeState: v.choice(['', 'clean', 'dirty']) } })),
    ],
  ]),
  ...group('Generic', [
    [
      'advertise-address',
      'ip',
      'address of this server for clients, also in its certificate (default: the bind address)',
      serving((v) => ({ advertiseAddress: v.ip() })),
    ],
    [
      'external-hostname',
      'string',
      'host name for the serving certificate and for URLs in documents',
      serving((v) => ({ externalHostname: v.text() })),
    ],
    [
      'feature-gates',
      'colonSeparatedMultimapStringString',
      'features to enable: NAME=true; ManifestBasedAdmissionControlConfig and AllAlpha have an effect here',
      server((v) => ({ admissionManifests: isManifestGateOn(v) })),
    ],
    [
      'goaway-chance',
      'float32',
      'probability, up to 0.02, that a request ends its HTTP/2 connection, so that clients move to other servers (default 0)',
      serving((v) => ({ goawayChance: goawayChance(v) })),
    ],
    [
      'livez-grace-period',
      'duration',
      'time during which livez ignores checks of the start (default 0s)',
      server((v) => ({ livezGracePeriodMs: v.milliseconds() })),
    ],
    [
      'max-mutating-requests-inflight',
      'int',
      'maximum number of concurrent writes, others get 429; 0 for no limit (default 200)',
      limits((v) => ({ mutatingInFlight: v.int(0) })),
    ],
    [
      'max-requests-inflight',
      'int',
      'maximum number of concurrent reads, others get 429; 0 for no limit (default 400)',
      limits((v) => ({ readOnlyInFlight: v.int(0) })),
    ],
    [
      'min-request-timeout',
      'int',
      'minimum duration in seconds of a watch without a timeout, at most twice as long (default 1800)',
      limits((v) => ({ minRequestTimeoutSeconds: v.int(1) })),
    ],
    [
      'request-timeout',
      'duration',
      'maximum duration of a request other than a watch (default 1m0s)',
      limits((v) => ({ requestTimeoutMs: positive(v, v.milliseconds()) })),
    ],
    [
      'shutdown-delay-duration',
      'duration',
      'time for which requests are served after readyz begins to fail (default 0s)',
      server((v) => ({ shutdownDelayMs: v.milliseconds() })),
    ],
    [
      'shutdown-send-retry-after',
      'bool',
      'accept connections at shutdown until requests in flight have ended, and answer new requests with 429 (default false)',
      server((v) => ({ shutdownSendRetryAfter: v.bool() })),
    ],
    [
      'strict-transport-security-directives',
      'strings',
      'directives of the header Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload (default none)',
      serving((v) => ({ strictTransportSecurity: v.list().map((directive) => securityDirective(v, directive)) })),
    ],
  ]),
  ...ETCD_FLAGS,
  ...group('Secure serving', [
    [
      'bind-address',
      'ip',
      'address to listen on; 0.0.0.0 or :: for all (default 127.0.0.1)',
      serving((v) => ({ bindAddress: v.ip() })),
    ],
    [
      'cert-dir',
      'string',
      'folder of apiserver.crt and apiserver.key, which are created if missing (default: the data folder)',
      serving((v) => ({ certDir: v.text() })),
    ],
    [
      'http2-max-streams-per-connection',
      'int',
      'maximum number of concurrent requests on an HTTP/2 connection; 0 for the default of 250',
      serving((v) => ({ maxStreamsPerConnection: v.int(0) })),
    ],
    [
      'secure-port',
      'int',
      'port to listen on; 0 for any free port (default 6443)',
      serving((v) => ({ port: v.int(0, 65_535) })),
    ],
    [
      'tls-cert-file',
      'string',
      'serving certificate in PEM, with its intermediates',
      serving((v) => ({ certFile: v.text() })),
    ],
    [
      'tls-min-version',
      'string',
      'VersionTLS12 or VersionTLS13; older versions are not supported (default "VersionTLS12")',
      serving((v) => ({ minTlsVersion: minTlsVersion(v) })),
    ],
    ['tls-private-key-file', 'string', 'the key of --tls-cert-file', serving((v) => ({ keyFile: v.text() }))],
    [
      'tls-sni-cert-key',
      'namedCertKey',
      'serving certificate for some names: CERT,KEY or CERT,KEY:NAME,NAME; may be repeated',
      serving((v) => ({ sni: v.array().map((value) => sniFiles(v, value)) })),
    ],
  ]),
  ...group('Auditing', [
    ['audit-log-compress', 'bool', 'compress rotated audit logs with gzip', audit((v) => ({ compress: v.bool() }))],
    [
      'audit-log-format',
      'string',
      'json; the format legacy is not supported (default "json")',
      (v) => {
        v.choice(['json']);
        return {};
      },
    ],
    [
      'audit-log-maxage',
      'int',
      'days for which rotated logs are kept; 0 for ever (default 366)',
      audit((v) => ({ maxAgeDays: v.int(0) })),
    ],
    [
      'audit-log-maxbackup',
      'int',
      'number of rotated logs to keep; 0 for all (default 100)',
      audit((v) => ({ maxBackups: v.int(0) })),
    ],
    [
      'audit-log-maxsize',
      'int',
      'size in megabytes at which the log is rotated; 0 for never (default 100)',
      audit((v) => ({ maxSizeMb: v.int(0) })),
    ],
    ['audit-log-path', 'string', 'file of the audit log; - for standard output', audit((v) => ({ logPath: v.text() }))],
    [
      'audit-policy-file',
      'string',
      'file with the audit policy: what the audit log records',
      audit((v) => ({ policyFile: v.text() })),
    ],
  ]),
  ...group('Features', [
    [
      'enable-priority-and-fairness',
      'bool',
      'name the flow schema and the priority level of a request in its answer (default true)',
      limits((v) => ({ priorityAndFairness: v.bool() })),
    ],
  ]),
  ...AUTHENTICATION_FLAGS,
  ...group('Authorization', [
    [
      'authorization-mode',
      'strings',
      'RBAC, AlwaysAllow, AlwaysDeny or Node (which has no effect), in order (default RBAC)',
      server((v) => ({ authorizationModes: v.list().map((mode) => authorizationMode(v, mode)) })),
    ],
  ]),
  ...group('API enablement', [
    [
      'runtime-config',
      'mapStringString',
      'versions to serve: GROUP/VERSION[/RESOURCE]=true|false, v1 for the core group, api/all, api/ga, api/beta or api/alpha (default: stable versions)',
      server((v) => ({ runtimeConfig: v.list() })),
    ],
  ]),
  ...group('Admission', [
    [
      'admission-control-config-file',
      'string',
      'file with the configurations of admission plugins: an AdmissionConfiguration',
      server((v) => ({ admissionConfigFile: v.text() })),
    ],
    [
      'default-not-ready-toleration-seconds',
      'int',
      'seconds that pods tolerate a node that is not ready, unless they say otherwise (default 300)',
      server((v) => ({ notReadySeconds: v.int() })),
    ],
    [
      'default-unreachable-toleration-seconds',
      'int',
      'seconds that pods tolerate an unreachable node, unless they say otherwise (default 300)',
      server((v) => ({ unreachableSeconds: v.int() })),
    ],
    [
      'disable-admission-plugins',
      'strings',
      'plugins to disable of those that run by default',
      server((v) => ({ disableAdmission: v.list() })),
    ],
    [
      'enable-admission-plugins',
      'strings',
      'plugins to enable in addition to those that run by default',
      server((v) => ({ enableAdmission: v.list() })),
    ],
  ]),
  ...group('Logs', [
    [
      'logging-format',
      'string',
      "kube-apiserver's name of --log-format: text or json",
      (v) => ({ log: { format: v.choice(['text', 'json']) } }),
    ],
    [
      'v',
      'Level',
      'log verbosity: debug lines from 2, every request from 3 (default 0)',
      (v) => ({ log: { verbosity: v.int(0) } }),
    ],
  ]),
  ...AGGREGATION_FLAGS,
  ...group('Misc', [
    [
      'endpoint-reconciler-type',
      'string',
      'lease or master-count to write the endpoints of default/kubernetes, none not to (default lease)',
      server((v) => ({ network: { endpointReconciler: v.choice(['lease', 'master-count', 'none']) } })),
    ],
    [
      'event-ttl',
      'duration',
      'how long Events are kept (default 1h0m0s)',
      server((v) => ({ eventTtlSeconds: positive(v, seconds(v)) })),
    ],
    [
      'service-account-signing-key-file',
      'string',
      'key that signs ServiceAccount tokens (default: the key in the data folder)',
      server((v) => ({ authentication: { serviceAccounts: { signingKeyFile: v.text() } } })),
    ],
    [
      'kubernetes-service-node-port',
      'int',
      'node port of default/kubernetes; 0 for none (default 0)',
      server((v) => ({ network: { serviceNodePort: v.int(0, 65535) } })),
    ],
    [
      'service-cluster-ip-range',
      'string',
      'network of Service IPs, or one of each IP family separated by a comma (default 10.0.0.0/24)',
      server((v) => ({ network: { serviceRange: v.text() } })),
    ],
    [
      'service-node-port-range',
      'portRange',
      'range of node ports for Services (default 30000-32767)',
      server((v) => ({ network: { nodePorts: portRange(v) } })),
    ],
  ]),
];

/**
 * Flags that are refused instead of ignored: without their effect, the server would admit other users than its operator
 * expects. The text names the alternative.
 */
export const REFUSED_FLAGS: Readonly<Record<string, string>> = {
  'authorization-config': 'authorization configuration files are not supported yet; use --authorization-mode',
  'authorization-webhook-config-file': 'authorization webhooks are not supported yet; use --authorization-mode=RBAC',
  'authorization-policy-file': 'ABAC policies are not supported; use --authorization-mode=RBAC',
  'authentication-config': 'authentication configuration files are not supported yet; use the authentication flags',
};

function goawayChance(values: FlagValues): number {
  const chance = values.number();
  if (chance < 0 || chance > 0.02) throw values.refuse('is not between 0 and 0.02');
  return chance;
}

function portRange(values: FlagValues): PortRange {
  const range = parsePortRange(values.text());
  if (range === undefined) throw values.refuse('is not a range of ports such as 30000-32767');
  return range;
}

function minTlsVersion(values: FlagValues): 'TLSv1.2' | 'TLSv1.3' {
  const version = values.choice(['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13', '']);
  return version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
}

/** Checks a directive of RFC 6797, section 6.1. kube-apiserver does not check the number of seconds. */
function securityDirective(values: FlagValues, directive: string): string {
  if (!/^(?:max-age=\d+|includeSubDomains|preload)$/.test(directive))
    throw values.refuse('is not a list of max-age=SECONDS, includeSubDomains and preload');
  return directive;
}

function sniFiles(values: FlagValues, value: string): SniFiles {
  const colon = value.indexOf(':', value.indexOf(',') + 1);
  const [certFile = '', keyFile = '', ...more] = (colon < 0 ? value : value.slice(0, colon)).split(',');
  if (certFile === '' || keyFile === '' || more.length > 0)
    throw values.refuse('is not of the form CERT,KEY or CERT,KEY:NAME,NAME');
  const names =
    colon < 0
      ? []
      : value
          .slice(colon + 1)
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '');
  return { certFile, keyFile, names };
}

function authorizationMode(values: FlagValues, text: string): AuthorizationMode {
  const mode = AUTHORIZATION_MODES.find((known) => known === text);
  if (mode === undefined)
    throw values.refuse(`contains ${JSON.stringify(text)}, which is not one of ${AUTHORIZATION_MODES.join(', ')}`);
  return mode;
}
