/** The flags of the group Etcd that have an effect. */
import { etcd, group, type ServerFlag, server } from './server-flag.ts';

export const ETCD_FLAGS: readonly ServerFlag[] = [
  ...group('Etcd', [
    [
      'etcd-compaction-interval',
      'duration',
      'interval of compaction, which removes old revisions; 0 for never (default 5m0s)',
      server((v) => ({ compactionIntervalMs: v.milliseconds() })),
    ],
    [
      'encryption-provider-config',
      'string',
      'file with an EncryptionConfiguration (identity, aescbc, aesgcm, secretbox, kms v2), by which stored values are encrypted',
      server((v) => ({ encryption: { configFile: v.text() } })),
    ],
    [
      'encryption-provider-config-automatic-reload',
      'bool',
      'read that file once a minute and use its changes without a restart (default false)',
      server((v) => ({ encryption: { reload: v.bool() } })),
    ],
    [
      'etcd-servers',
      'strings',
      'URLs of the members of an etcd cluster that keeps the objects, separated by commas; several servers may share it',
      etcd((v) => ({ servers: v.list() })),
    ],
    [
      'etcd-servers-overrides',
      'strings',
      'built-in resources in other etcd clusters: group/resource#servers, with servers separated by semicolons, such as /events#http://etcd4:2379',
      etcd((v) => ({ serversOverrides: v.list() })),
    ],
    [
      'etcd-cafile',
      'string',
      'file of the CA certificates that verify the members of etcd (default those of the system)',
      etcd((v) => ({ caFile: v.text() })),
    ],
    [
      'etcd-certfile',
      'string',
      'file of the client certificate for etcd, with --etcd-keyfile (default none)',
      etcd((v) => ({ certFile: v.text() })),
    ],
    [
      'etcd-keyfile',
      'string',
      'file of the key of --etcd-certfile (default none)',
      etcd((v) => ({ keyFile: v.text() })),
    ],
    [
      'etcd-prefix',
      'string',
      'first part of all keys in etcd (default "/registry")',
      etcd((v) => ({ prefix: v.text() })),
    ],
    [
      'storage-media-type',
      'string',
      'how built-in kinds are written to etcd: application/vnd.kubernetes.protobuf or application/json (default "application/vnd.kubernetes.protobuf")',
      etcd((v) => ({ mediaType: v.choice(['application/vnd.kubernetes.protobuf', 'application/json']) })),
    ],
    [
      'etcd-healthcheck-timeout',
      'duration',
      'time for the health check of etcd; 0 is the default (default 2s)',
      etcd((v) => ({ healthCheckMs: v.milliseconds() })),
    ],
    [
      'etcd-readycheck-timeout',
      'duration',
      'time for the readiness check of etcd; 0 is the default (default 2s)',
      etcd((v) => ({ readyCheckMs: v.milliseconds() })),
    ],
    [
      'etcd-count-metric-poll-period',
      'duration',
      'how often the stored objects are counted for metrics; 0 for never (default 1m0s)',
      etcd((v) => ({ countPollMs: v.milliseconds() })),
    ],
    [
      'etcd-db-metric-poll-interval',
      'duration',
      'how often the size of the storage is read for metrics; 0 for never (default 30s)',
      etcd((v) => ({ sizePollMs: v.milliseconds() })),
    ],
    [
      'lease-reuse-duration-seconds',
      'int',
      'longest time in seconds for which events share a lease of etcd (default 60)',
      etcd((v) => ({ leaseReuseSeconds: v.int(0) })),
    ],
  ]),
];
