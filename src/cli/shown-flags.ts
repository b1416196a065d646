/**
 * The flags of a command line with their values, defaults included, for the page `/flagz`. Values are written as pflag
 * prints them. A flag of kube-apiserver without effect here is shown only if it was given, because its default
 * describes nothing.
 */
import { formatDuration, parseDuration } from '../apimachinery/scalars/duration.ts';
import { FlagValues } from './flag-values.ts';
import { type FlagType, referenceFlags } from './reference-flags.ts';
import { SERVER_FLAGS } from './server-flags.ts';

/** The defaults that are not the zero value of their type, as a command line would write them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'aggregator-reject-forwarding-redirect': 'true',
  'anonymous-auth': 'true',
  'audit-log-format': 'json',
  'audit-log-maxage': '366',
  'audit-log-maxbackup': '100',
  'audit-log-maxsize': '100',
  'authorization-mode': 'RBAC',
  'bind-address': '127.0.0.1',
  controllers: '*',
  'data-dir': '.keelson',
  'default-not-ready-toleration-seconds': '300',
  'default-unreachable-toleration-seconds': '300',
  'enable-aggregator-routing': '',
  'enable-priority-and-fairness': 'true',
  'endpoint-reconciler-type': 'lease',
  'etcd-compaction-interval': '5m0s',
  'etcd-count-metric-poll-period': '1m0s',
  'etcd-db-metric-poll-interval': '30s',
  'etcd-healthcheck-timeout': '2s',
  'etcd-prefix': '/registry',
  'etcd-readycheck-timeout': '2s',
  'event-ttl': '1h0m0s',
  'leader-elect': 'true',
  'leader-elect-lease-duration': '15s',
  'leader-elect-renew-deadline': '10s',
  'leader-elect-resource-name': 'keelson-controllers',
  'leader-elect-resource-namespace': 'kube-system',
  'leader-elect-retry-period': '2s',
  'lease-reuse-duration-seconds': '60',
  'log-format': 'auto',
  'max-mutating-requests-inflight': '200',
  'max-requests-inflight': '400',
  'min-request-timeout': '1800',
  'request-timeout': '1m0s',
  'requestheader-allowed-names': 'front-proxy-client',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-uid-headers': 'X-Remote-Uid',
  'requestheader-username-headers': 'X-Remote-User',
  'resource-quota-sync-period': '5m0s',
  'secure-port': '6443',
  'service-account-extend-token-expiration': 'true',
  'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
  'service-account-lookup': 'true',
  'service-cluster-ip-range': '10.0.0.0/24',
  'service-node-port-range': '30000-32767',
  storage: 'lmdb',
  'storage-media-type': 'application/vnd.kubernetes.protobuf',
  'tls-min-version': 'VersionTLS12',
};

/** If this flag is given, the other requestheader flags default to empty lists; see AUTHENTICATION_FLAGS. */
const PROXY_CA = 'requestheader-client-ca-file';
const PROXY_FLAGS = 'requestheader-';

/** Returns the default value of a flag of SERVER_FLAGS, as a command line would write it. */
export function flagDefault(name: string, type: FlagType): string {
  const given = DEFAULTS[name];
  if (given !== undefined) return given;
  if (type === 'bool') return 'false';
  if (type === 'int' || type === 'float32' || type === 'Level') return '0';
  return type === 'duration' ? '0s' : '';
}

/** Returns the flags by name. `dataDir` is the data folder in use, which may depend on other flags. */
export function shownFlags(given: ReadonlyMap<string, FlagValues>, dataDir: string): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const { name, type } of SERVER_FLAGS) {
    const isEmptied = name.startsWith(PROXY_FLAGS) && given.has(PROXY_CA);
    const standard = new FlagValues(name, [isEmptied ? '' : flagDefault(name, type)]);
    shown[name] = formatFlag(type, given.get(name) ?? standard);
  }
  const reference = referenceFlags();
  for (const [name, values] of given) shown[name] ??= formatFlag(reference.get(name)?.type ?? 'string', values);
  return { ...shown, 'data-dir': dataDir };
}

/** Formats the value as pflag prints its type. A duration that cannot be parsed is shown as given. */
function formatFlag(type: FlagType, values: FlagValues): string {
  switch (type) {
    case 'bool':
      // Empty for a flag whose absence has a meaning of its own, such as enable-aggregator-routing.
      return values.text() === '' ? '' : `${values.bool()}`;
    case 'duration': {
      const parsed = parseDuration(values.text());
      return parsed.ok ? formatDuration(parsed.value) : values.text();
    }
    case 'strings':
    case 'int32Slice':
      return `[${values.list().join(',')}]`;
    case 'stringArray':
      return `[${values
        .array()
        .filter((value) => value !== '')
        .join(',')}]`;
    case 'namedCertKey':
      return `[${values
        .array()
        .filter((value) => value !== '')
        .join(';')}]`;
    case 'mapStringString':
    case 'stringToString':
      return [...values.list()].sort().join(',');
    default:
      return values.text();
  }
}
