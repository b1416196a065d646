/**
 * The flags of the server that mean something here, and what they change. Invariant: a name that kube-apiserver has keeps its meaning, its type and its group;
 * flags are applied in the order of this table, whatever the order of the command line.
 */

import type { SniFiles } from '../controlplane/options.ts';
import { type PortRange, parsePortRange } from '../kube/allocators/port-range.ts';
import type { AuthorizationMode } from '../kube/authorization-modes.ts';
import { AUTHENTICATION_FLAGS } from './authentication-flags.ts';
import type { FlagValues } from './flag-values.ts';
import { audit, group, limits, type ServerFlag, seconds, server, serving } from './server-flag.ts';

export const SERVER_FLAGS: readonly ServerFlag[] = [
  ...group('Keelson', [
    [
      'data-dir',
      'string',
      'folder for keys, certificates, the kubeconfig and the objects (default ".keelson")',
      server((v) => ({ dataDir: v.text() })),
    ],
    [
      'storage',
      'string',
      'where objects are kept: lmdb (in the data folder, durable) or memory (default "lmdb")',
      server((v) => ({ storage: v.choice(['memory', 'lmdb']) })),
    ],
    [
      'kubeconfig-file',
      'string',
      'where the kubeconfig of the admin is written (default "admin.kubeconfig" in the data folder)',
      server((v) => ({ kubeconfigFile: v.text() })),
    ],
  ]),
  ...group('Generic', [
    [
      'advertise-address',
      'ip',
      'the address that others reach this server by; the serving certificate names it (default: the bind address)',
      serving((v) => ({ advertiseAddress: v.ip() })),
    ],
    [
      'external-hostname',
      'string',
      'a host name for the serving certificate and for URLs in documents',
      serving((v) => ({ externalHostname: v.text() })),
    ],
    [
      'livez-grace-period',
      'duration',
      'how long livez lets checks of the start pass (default 0s)',
      server((v) => ({ livezGracePeriodMs: v.milliseconds() })),
    ],
    [
      'max-mutating-requests-inflight',
      'int',
      'writes served at once, the rest get 429; 0 for no limit (default 200)',
      limits((v) => ({ mutatingInFlight: v.int(0) })),
    ],
    [
      'max-requests-inflight',
      'int',
      'reads served at once, the rest get 429; 0 for no limit (default 400)',
      limits((v) => ({ readOnlyInFlight: v.int(0) })),
    ],
    [
      'min-request-timeout',
      'int',
      'a watch without a timeout lasts this many seconds up to twice as long (default 1800)',
      limits((v) => ({ minRequestTimeoutSeconds: v.int(1) })),
    ],
    [
      'request-timeout',
      'duration',
      'how long a request that is no watch may take (default 1m0s)',
      limits((v) => ({ requestTimeoutMs: positive(v, v.milliseconds()) })),
    ],
    [
      'shutdown-delay-duration',
      'duration',
      'how long requests are still served after readyz began to fail (default 0s)',
      server((v) => ({ shutdownDelayMs: v.milliseconds() })),
    ],
  ]),
  ...group('Etcd', [
    [
      'etcd-compaction-interval',
      'duration',
      'how often old revisions become unreachable; 0 for never (default 5m0s)',
      server((v) => ({ compactionIntervalMs: v.milliseconds() })),
    ],
  ]),
  ...group('Secure serving', [
    [
      'bind-address',
      'ip',
      'the address to listen on; 0.0.0.0 or :: for all (default 127.0.0.1)',
      serving((v) => ({ bindAddress: v.ip() })),
    ],
    [
      'cert-dir',
      'string',
      'folder of apiserver.crt and apiserver.key, used if they are there and made otherwise (default: the data folder)',
      serving((v) => ({ certDir: v.text() })),
    ],
    [
      'http2-max-streams-per-connection',
      'int',
      'requests at once on one HTTP/2 connection; 0 for the default of 250',
      serving((v) => ({ maxStreamsPerConnection: v.int(0) })),
    ],
    [
      'secure-port',
      'int',
      'the port to listen on; 0 takes any free one (default 6443)',
      serving((v) => ({ port: v.int(0, 65_535) })),
    ],
    [
      'tls-cert-file',
      'string',
      'serving certificate, PEM, with its intermediates',
      serving((v) => ({ certFile: v.text() })),
    ],
    [
      'tls-min-version',
      'string',
      'VersionTLS12 or VersionTLS13; older ones are never spoken (default "VersionTLS12")',
      serving((v) => ({ minTlsVersion: minTlsVersion(v) })),
    ],
    ['tls-private-key-file', 'string', 'the key of --tls-cert-file', serving((v) => ({ keyFile: v.text() }))],
    [
      'tls-sni-cert-key',
      'namedCertKey',
      'a serving certificate for some names, CERT,KEY or CERT,KEY:NAME,NAME; may be repeated',
      serving((v) => ({ sni: v.array().map((value) => sniFiles(v, value)) })),
    ],
  ]),
  ...group('Auditing', [
    ['audit-log-compress', 'bool', 'gzip audit logs that were rotated', audit((v) => ({ compress: v.bool() }))],
    [
      'audit-log-format',
      'string',
      'json; the lines of text that the reference calls legacy cannot be written (default "json")',
      (v) => {
        v.choice(['json']);
        return {};
      },
    ],
    [
      'audit-log-maxage',
      'int',
      'days that rotated logs are kept; 0 for ever (default 366)',
      audit((v) => ({ maxAgeDays: v.int(0) })),
    ],
    [
      'audit-log-maxbackup',
      'int',
      'rotated logs that are kept; 0 for all (default 100)',
      audit((v) => ({ maxBackups: v.int(0) })),
    ],
    [
      'audit-log-maxsize',
      'int',
      'megabytes after which the log is rotated; 0 for never (default 100)',
      audit((v) => ({ maxSizeMb: v.int(0) })),
    ],
    ['audit-log-path', 'string', 'the audit log; - is standard output', audit((v) => ({ logPath: v.text() }))],
    ['audit-policy-file', 'string', 'what the audit log records', audit((v) => ({ policyFile: v.text() }))],
  ]),
  ...group('Features', [
    [
      'enable-priority-and-fairness',
      'bool',
      'answers name the flow schema and the priority level of their requests (default true)',
      limits((v) => ({ priorityAndFairness: v.bool() })),
    ],
  ]),
  ...AUTHENTICATION_FLAGS,
  ...group('Authorization', [
    [
      'authorization-mode',
      'strings',
      'RBAC, AlwaysAllow, AlwaysDeny or Node (which adds nothing here), asked in order (default RBAC)',
      server((v) => ({ authorizationModes: v.list().map((mode) => authorizationMode(v, mode)) })),
    ],
  ]),
  ...group('API enablement', [
    [
      'runtime-config',
      'mapStringString',
      'versions to serve or not: GROUP/VERSION[/RESOURCE]=true|false, api/all, api/ga, api/beta or api/alpha (default: stable ones)',
      server((v) => ({ runtimeConfig: v.list() })),
    ],
  ]),
  ...group('Admission', [
    [
      'default-not-ready-toleration-seconds',
      'int',
      'how long pods stay on a node that is not ready, unless they say it (default 300)',
      server((v) => ({ notReadySeconds: v.int() })),
    ],
    [
      'default-unreachable-toleration-seconds',
      'int',
      'how long pods stay on a node that cannot be reached, unless they say it (default 300)',
      server((v) => ({ unreachableSeconds: v.int() })),
    ],
    [
      'disable-admission-plugins',
      'strings',
      'plugins that do not run although they would by default',
      server((v) => ({ disableAdmission: v.list() })),
    ],
    [
      'enable-admission-plugins',
      'strings',
      'plugins that run although they would not by default',
      server((v) => ({ enableAdmission: v.list() })),
    ],
  ]),
  ...group('Logs', [
    [
      'logging-format',
      'string',
      'text or json (default: text on a terminal, json otherwise)',
      (v) => ({ log: { format: v.choice(['text', 'json']) } }),
    ],
    [
      'v',
      'Level',
      'how much is logged: debug lines from 2 on, every request from 3 on (default 0)',
      (v) => ({ log: { verbosity: v.int(0) } }),
    ],
  ]),
  ...group('Misc', [
    [
      'endpoint-reconciler-type',
      'string',
      'lease or master-count: this server writes the endpoints of default/kubernetes; none: it does not (default lease)',
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
      'the key that signs ServiceAccount tokens (default: the one of the data folder)',
      server((v) => ({ authentication: { serviceAccounts: { signingKeyFile: v.text() } } })),
    ],
    [
      'kubernetes-service-node-port',
      'int',
      'the node port of default/kubernetes; 0 for none (default 0)',
      server((v) => ({ network: { serviceNodePort: v.int(0, 65535) } })),
    ],
    [
      'service-cluster-ip-range',
      'string',
      'the network of Services, or one of each family with a comma between them (default 10.0.0.0/24)',
      server((v) => ({ network: { serviceRange: v.text() } })),
    ],
    [
      'service-node-port-range',
      'portRange',
      'ports of nodes that Services may have (default 30000-32767)',
      server((v) => ({ network: { nodePorts: portRange(v) } })),
    ],
  ]),
];

/** Flags whose loss would be noticed too late to be only warned about, with what to do instead. */
export const REFUSED_FLAGS: Readonly<Record<string, string>> = {
  'etcd-servers':
    'objects cannot be kept in etcd yet; this comes in a later version. Leave the flag out: --storage lmdb keeps them in the data folder',
  'etcd-servers-overrides': 'objects cannot be kept in etcd yet; this comes in a later version',
  'encryption-provider-config':
    'objects cannot be encrypted at rest yet; leave the flag out and protect the data folder',
  'authorization-config': 'an authorization configuration file cannot be read yet; use --authorization-mode',
  'authorization-webhook-config-file': 'authorization webhooks cannot be asked yet; use --authorization-mode=RBAC',
  'authorization-policy-file': 'ABAC policies cannot be read; use --authorization-mode=RBAC',
  'authentication-config': 'an authentication configuration file cannot be read yet; use the flags',
};

function portRange(values: FlagValues): PortRange {
  const range = parsePortRange(values.text());
  if (range === undefined) throw values.refuse('is no range of ports such as 30000-32767');
  return range;
}

function positive(values: FlagValues, value: number): number {
  if (value <= 0) throw values.refuse('must be more than zero');
  return value;
}

function minTlsVersion(values: FlagValues): 'TLSv1.2' | 'TLSv1.3' {
  const version = values.choice(['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13', '']);
  return version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
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

const MODES: readonly AuthorizationMode[] = ['AlwaysAllow', 'AlwaysDeny', 'RBAC', 'Node'];

function authorizationMode(values: FlagValues, text: string): AuthorizationMode {
  const mode = MODES.find((known) => known === text);
  if (mode === undefined) throw values.refuse(`names ${JSON.stringify(text)}, which is not one of ${MODES.join(', ')}`);
  return mode;
}
