/**
 * The flags of kube-apiserver 1.36, with the types of their values and the groups in which its help shows them. The
 * table has names and types only; `server-flags.ts` defines the effects of flags here.
 */

/** The type names of pflag. A `bool` takes no separate value (`--flag` or `--flag=false`). */
export type FlagType =
  | 'Level'
  | 'bool'
  | 'colonSeparatedMultimapStringString'
  | 'duration'
  | 'float32'
  | 'int'
  | 'int32Slice'
  | 'ip'
  | 'mapStringString'
  | 'namedCertKey'
  | 'portRange'
  | 'quantity'
  | 'string'
  | 'stringArray'
  | 'stringToString'
  | 'strings';

const TABLE = `
Generic:
  bool: emulation-forward-compatible runtime-config-emulation-forward-compatible shutdown-send-retry-after
  colonSeparatedMultimapStringString: feature-gates
  duration: livez-grace-period request-timeout shutdown-delay-duration shutdown-watch-termination-grace-period
  duration: storage-initialization-timeout
  float32: goaway-chance
  int: max-mutating-requests-inflight max-requests-inflight min-request-timeout
  ip: advertise-address
  string: external-hostname
  strings: cors-allowed-origins emulated-version min-compatibility-version strict-transport-security-directives
Etcd:
  bool: enable-garbage-collector encryption-provider-config-automatic-reload watch-cache
  duration: etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout
  duration: etcd-readycheck-timeout
  int: delete-collection-workers lease-reuse-duration-seconds default-watch-cache-size
  string: encryption-provider-config etcd-cafile etcd-certfile etcd-keyfile etcd-prefix storage-backend storage-media-type
  strings: etcd-servers etcd-servers-overrides watch-cache-sizes
Secure serving:
  bool: disable-http2-serving permit-address-sharing permit-port-sharing
  int: http2-max-streams-per-connection secure-port
  int32Slice: tls-curve-preferences
  ip: bind-address
  namedCertKey: tls-sni-cert-key
  string: cert-dir tls-cert-file tls-min-version tls-private-key-file
  strings: tls-cipher-suites
Auditing:
  bool: audit-log-batch-throttle-enable audit-log-compress audit-log-truncate-enabled audit-webhook-batch-throttle-enable
  bool: audit-webhook-truncate-enabled
  duration: audit-log-batch-max-wait audit-webhook-batch-max-wait audit-webhook-initial-backoff audit-webhook-batch-initial-backoff
  float32: audit-log-batch-throttle-qps audit-webhook-batch-throttle-qps
  int: audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-throttle-burst audit-log-maxage audit-log-maxbackup
  int: audit-log-maxsize audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-webhook-batch-buffer-size
  int: audit-webhook-batch-max-size audit-webhook-batch-throttle-burst audit-webhook-truncate-max-batch-size
  int: audit-webhook-truncate-max-event-size
  string: audit-log-format audit-log-mode audit-log-path audit-log-version audit-policy-file audit-webhook-config-file audit-webhook-mode
  string: audit-webhook-version
Features:
  bool: contention-profiling enable-priority-and-fairness profiling
  string: debug-socket-path
Authentication:
  bool: anonymous-auth enable-bootstrap-token-auth service-account-extend-token-expiration service-account-lookup
  duration: authentication-token-webhook-cache-ttl service-account-max-token-expiration
  mapStringString: oidc-required-claim
  string: authentication-config authentication-token-webhook-config-file authentication-token-webhook-version client-ca-file oidc-ca-file
  string: oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-username-claim oidc-username-prefix
  string: requestheader-client-ca-file service-account-jwks-uri token-auth-file
  stringArray: service-account-issuer service-account-key-file
  strings: api-audiences oidc-signing-algs requestheader-allowed-names requestheader-extra-headers-prefix requestheader-group-headers
  strings: requestheader-uid-headers requestheader-username-headers
Authorization:
  duration: authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
  string: authorization-config authorization-policy-file authorization-webhook-config-file authorization-webhook-version
  strings: authorization-mode
API enablement:
  mapStringString: runtime-config
Egress selector:
  string: egress-selector-config-file
Admission:
  int: default-not-ready-toleration-seconds default-unreachable-toleration-seconds
  string: admission-control-config-file
  strings: admission-control disable-admission-plugins enable-admission-plugins
Metrics:
  string: allow-metric-labels-manifest show-hidden-metrics-for-version
  stringToString: allow-metric-labels
  strings: disabled-metrics
Logs:
  Level: v
  bool: log-text-split-stream
  duration: log-flush-frequency
  quantity: log-text-info-buffer-size
  string: logging-format
  strings: vmodule
Traces:
  string: tracing-config-file
Misc:
  bool: aggregator-reject-forwarding-redirect allow-privileged enable-aggregator-routing enable-logs-handler
  duration: coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period event-ttl
  duration: kubelet-timeout
  int: kubernetes-service-node-port max-connection-bytes-per-sec kubelet-port kubelet-read-only-port apiserver-count
  portRange: service-node-port-range
  string: endpoint-reconciler-type kubelet-certificate-authority kubelet-client-certificate kubelet-client-key peer-advertise-ip
  string: peer-advertise-port peer-ca-file proxy-client-cert-file proxy-client-key-file service-account-signing-endpoint
  string: service-account-signing-key-file service-cluster-ip-range
  strings: kubelet-preferred-address-types
`;

export interface ReferenceFlag {
  readonly name: string;
  readonly type: FlagType;
  readonly group: string;
}

/** Returns the flags by name, in the order of kube-apiserver's groups. */
export function referenceFlags(): ReadonlyMap<string, ReferenceFlag> {
  const flags = new Map<string, ReferenceFlag>();
  let group = '';
  for (const line of TABLE.trim().split('\n')) {
    const [head, names] = line.split(':') as [string, string];
    if (!head.startsWith(' ')) group = head;
    else for (const name of names.trim().split(' ')) flags.set(name, { name, type: head.trim() as FlagType, group });
  }
  return flags;
}
