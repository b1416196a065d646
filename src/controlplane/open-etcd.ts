/** Opens the etcd clusters of a control plane: the one of `--etcd-servers` and those of `--etcd-servers-overrides`. */
import { ConfigError, toError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { EtcdObserver } from '../storage/etcd/etcd-observer.ts';
import type { Storage } from '../storage/storage.ts';
import type { CompletedOptions } from './complete-options.ts';
import { SCOPE } from './etcd-keys.ts';
import type { EtcdOptions } from './etcd-options.ts';
import { parseEtcdOverrides } from './etcd-overrides.ts';
import { readFlagFile } from './flag-file.ts';
import type { OpenEtcdOptions, Platform } from './platform.ts';
import type { Storages } from './storages.ts';

type EtcdTls = OpenEtcdOptions['tls'];

/**
 * Reads the files that the options name and opens the clusters. If one fails, closes the others and throws ConfigError.
 */
export async function openEtcd(
  { options, platform }: CompletedOptions,
  { logger, observer }: { readonly logger: Logger; readonly observer: EtcdObserver },
): Promise<Storages> {
  const { servers, serversOverrides, prefix, leaseReuseSeconds } = options.etcd;
  const tls = await readEtcdTls(platform, options.etcd);
  const open = (members: readonly string[]): Promise<Storage> =>
    platform.openEtcd({
      servers: members,
      tls,
      prefix: absolutePrefix(prefix),
      scope: SCOPE,
      leaseReuseSeconds,
      observer,
      onRestored: (revision) =>
        logger.warn('etcd was restored from a backup: all objects are read again, and clients list again', {
          servers: members.join(','),
          revision,
        }),
    });
  const overrides = parseEtcdOverrides(serversOverrides);
  const opened = await Promise.allSettled([open(servers), ...overrides.map((override) => open(override.servers))]);
  const failed = opened.find((result) => result.status === 'rejected');
  const storages = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (failed !== undefined) {
    await Promise.all(storages.map((storage) => storage.stop()));
    throw toError(failed.reason);
  }
  const [main, ...others] = storages as [Storage, ...Storage[]];
  return {
    main,
    overrides: others.map((storage, i) => ({ storage, resources: overrides[i]?.resources ?? [] })),
  };
}

/** The paths of the TLS files; '' if a flag is not set. */
type EtcdTlsPaths = Pick<EtcdOptions, 'caFile' | 'certFile' | 'keyFile'>;

/**
 * Reads the TLS files. `flagPrefix` is the prefix of the flags in messages. Throws ConfigError for a file that cannot
 * be read.
 */
export async function readEtcdTls(
  platform: Platform,
  { caFile, certFile, keyFile }: EtcdTlsPaths,
  flagPrefix = '--etcd',
): Promise<EtcdTls> {
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError(`${flagPrefix}-certfile and ${flagPrefix}-keyfile belong together: set both or none`);
  const read = async (flag: string, path: string): Promise<string | undefined> =>
    path === '' ? undefined : readFlagFile(platform, `${flagPrefix}-${flag}`, path);
  const ca = await read('cafile', caFile);
  const cert = await read('certfile', certFile);
  const key = await read('keyfile', keyFile);
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

/** Adds a leading slash to the prefix and removes trailing ones, like kube-apiserver. */
export function absolutePrefix(prefix: string): string {
  return `/${prefix.replace(/^\/+|\/+$/g, '')}`;
}
