/** The options of etcd. The comment of each option names its flag. */
import type { StorageMediaType } from '../server/registry/stored-forms.ts';

/** The etcd cluster of `storage: 'etcd'`. Several servers may share it. */
export interface EtcdOptions {
  /** `--etcd-servers`: URLs of members. One member is used at a time; if it fails, the next one. */
  readonly servers: readonly string[];
  /**
   * `--etcd-servers-overrides`: built-in resources that are stored in other clusters, as `group/resource#servers` with
   * servers separated by semicolons. The prefix and the certificates are those of the main cluster.
   */
  readonly serversOverrides: readonly string[];
  /** `--etcd-cafile`: verifies the certificates of the members. '': the CAs of the system. */
  readonly caFile: string;
  /** `--etcd-certfile` and `--etcd-keyfile`: the certificate with which this server authenticates itself. */
  readonly certFile: string;
  readonly keyFile: string;
  /** `--etcd-prefix`: the first part of all keys. */
  readonly prefix: string;
  /** `--storage-media-type`: the encoding in which built-in kinds are written. Both encodings can be read. */
  readonly mediaType: StorageMediaType;
  /** `--lease-reuse-duration-seconds`: the longest time for which keys with a time to live share a lease. */
  readonly leaseReuseSeconds: number;
  /** `--etcd-healthcheck-timeout` in milliseconds: the time limit of the health check `etcd`. 0: the default. */
  readonly healthCheckMs: number;
  /** `--etcd-readycheck-timeout` in milliseconds: the time limit of the check `etcd-readiness`. 0: the default. */
  readonly readyCheckMs: number;
  /** `--etcd-count-metric-poll-period` in milliseconds: how often the objects are counted. 0: never. */
  readonly countPollMs: number;
  /** `--etcd-db-metric-poll-interval` in milliseconds: how often the size of the storage is read. 0: never. */
  readonly sizePollMs: number;
}

/** The defaults of kube-apiserver. */
export const DEFAULT_ETCD: EtcdOptions = {
  servers: [],
  serversOverrides: [],
  caFile: '',
  certFile: '',
  keyFile: '',
  prefix: '/registry',
  mediaType: 'application/vnd.kubernetes.protobuf',
  leaseReuseSeconds: 60,
  healthCheckMs: 2_000,
  readyCheckMs: 2_000,
  countPollMs: 60_000,
  sizePollMs: 30_000,
};
