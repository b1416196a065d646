/**
 * The platform of a control plane on Node. Modules that a start may not need, such as LMDB, are imported on first use.
 */
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import type { KubeconfigContext, KubeconfigUser } from '../../client/kubeconfig.ts';
import { gzipCompressor } from '../../node/gzip.ts';
import { startListener } from '../../node/listener.ts';
import { createOutboundClient } from '../../node/outbound/outbound-client.ts';
import {
  ensureServingPair,
  listFiles,
  machineNames,
  nodeBuildInfo,
  nodeProcessUsage,
  readKindDescriptions,
  readPackageVersion,
  readPreparedOpenApi,
  readTextFile,
  watchFolder,
} from '../../node/platform.ts';
import { formatKubeconfig, writeKubeconfig } from '../../pki/kubeconfig.ts';
import { ensurePki } from '../../pki/pki-folder.ts';
import { ensureSecretFolder } from '../../pki/secret-file.ts';
import { createProviderFactory } from '../../storage/encryption/provider-factory.ts';
import { StorageError } from '../../storage/errors.ts';
import { folderError } from '../../storage/lmdb/folder-error.ts';
import { lockFolder } from '../../storage/lmdb/folder-lock.ts';
import type { Platform } from '../platform.ts';
import { etcdProblem } from './etcd-problem.ts';
import { checkRestoreFinished } from './restore-state.ts';

export const nodePlatform: Platform = {
  clock: systemClock,
  buildInfo: () => nodeBuildInfo(readPackageVersion()),
  processUsage: nodeProcessUsage,
  absolutePath: (path) => resolve(path),
  pathBeside: (base, path) => resolve(dirname(base), path),
  openCredentials: async (user, warn) => {
    const { openCredentials } = await import('../../node/kubeconfig/credentials.ts');
    return openCredentials(userContext(user), { env: process.env, clock: systemClock, warn });
  },
  readFile: readTextFile,
  listFiles,
  watchFolder,
  lockFolder: async (folder) => {
    await ensureDataFolder(folder);
    const release = lockFolder(folder);
    try {
      checkRestoreFinished(folder);
      await writeGitignore(folder);
      return release;
    } catch (caught) {
      release();
      throw folderError(toError(caught), folder);
    }
  },
  hostNames: machineNames,
  ensurePki,
  ensureServingPair,
  formatKubeconfig,
  writeKubeconfig,
  prefetchStorage: () => {
    const loaded = import('../../storage/lmdb/open.ts').then(({ preloadLmdb }) => preloadLmdb());
    loaded.catch(() => undefined);
  },
  openStorage: async (folder, onProblem) => {
    const { openLmdbStorage } = await import('../../storage/lmdb/open.ts');
    return openLmdbStorage({ folder, onProblem });
  },
  createProviderFactory: (host) =>
    createProviderFactory({
      ...host,
      openChannel: async (options) => (await import('../../node/grpc/grpc-channel.ts')).openGrpcChannel(options),
    }),
  openEtcd: async ({ servers, ...options }) => {
    const [{ openEtcdStorage }, { openGrpcChannel }] = await Promise.all([
      import('../../storage/etcd/open.ts'),
      import('../../node/grpc/grpc-channel.ts'),
    ]);
    const storage = openEtcdStorage({ endpoints: servers, openChannel: openGrpcChannel, ...options });
    try {
      const unfinished = await storage.unfinishedImport();
      if (unfinished === undefined) return storage;
      throw new StorageError(
        'Unavailable',
        `it has an unfinished import below ${options.prefix} (${unfinished}): run the import again with --replace`,
      );
    } catch (caught) {
      await storage.stop();
      const cause = toError(caught);
      throw new ConfigError(`cannot use etcd at ${servers.join(', ')}: ${etcdProblem(servers, cause.message)}`, {
        cause,
      });
    }
  },
  openAuditLog: async (options) => {
    const { openAuditLog } = await import('../../node/log/audit-log.ts');
    return openAuditLog(options);
  },
  listen: startListener,
  compressor: gzipCompressor,
  preparedOpenApi: readPreparedOpenApi,
  kindDescriptions: readKindDescriptions,
  createOutboundClient,
};

async function ensureDataFolder(folder: string): Promise<void> {
  try {
    await ensureSecretFolder(folder);
  } catch (caught) {
    const cause = toError(caught);
    throw new ConfigError(`${cause.message}; choose another data folder with --data-dir`, { cause });
  }
}

/** Returns a context for credentials of a user. It has no server, because each request is sent to another webhook. */
function userContext(user: KubeconfigUser): KubeconfigContext {
  return {
    name: 'of admission webhooks',
    server: '',
    ca: undefined,
    insecureSkipTlsVerify: false,
    tlsServerName: undefined,
    proxyUrl: undefined,
    user,
    namespace: '',
  };
}

/** Writes a .gitignore, so that git does not commit a data folder inside a project: it contains private keys. */
async function writeGitignore(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (caught) {
    if ((toError(caught) as NodeJS.ErrnoException).code !== 'EEXIST') throw caught;
  }
}
