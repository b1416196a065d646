/** The etcd cluster of a control plane. */
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Storage } from '../storage/storage.ts';
import type { CompletedOptions } from './complete-options.ts';
import { readFlagFile } from './flag-file.ts';
import { SCOPE } from './loops/control-loops.ts';

/** Reads the files that the options name and opens the cluster. Throws ConfigError if that fails. */
export async function openEtcd({ options, platform }: CompletedOptions, logger: Logger): Promise<Storage> {
  const { servers, caFile, certFile, keyFile, prefix, leaseReuseSeconds } = options.etcd;
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('--etcd-certfile and --etcd-keyfile belong together: set both or none');
  const read = async (flag: string, path: string): Promise<string | undefined> =>
    path === '' ? undefined : readFlagFile(platform, flag, path);
  const ca = await read('--etcd-cafile', caFile);
  const cert = await read('--etcd-certfile', certFile);
  const key = await read('--etcd-keyfile', keyFile);
  return platform.openEtcd({
    servers,
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
    prefix: absolutePrefix(prefix),
    scope: SCOPE,
    leaseReuseSeconds,
    onCall: () => undefined,
    onRestored: (revision) =>
      logger.warn('etcd was restored from a backup: all objects are read again, and clients list again', { revision }),
  });
}

/** The reference puts a slash before the prefix and removes those at its end. */
export function absolutePrefix(prefix: string): string {
  return `/${prefix.replace(/^\/+|\/+$/g, '')}`;
}
