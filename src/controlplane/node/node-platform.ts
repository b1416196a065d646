/** The platform of a control plane on Node. Invariant: what a start may not need (LMDB, key generation, rotation) is loaded when it is asked for. */
import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { gzipCompressor } from '../../node/gzip.ts';
import { startListener } from '../../node/listener.ts';
import {
  ensureServingPair,
  machineNames,
  nodeBuildInfo,
  readPackageVersion,
  readTextFile,
} from '../../node/platform.ts';
import { writeKubeconfig } from '../../pki/kubeconfig.ts';
import { ensurePki } from '../../pki/pki-folder.ts';
import { ensureSecretFolder } from '../../pki/secret-file.ts';
import { lockFolder } from '../../storage/lmdb/folder-lock.ts';
import type { Platform } from '../platform.ts';

export const nodePlatform: Platform = {
  clock: systemClock,
  buildInfo: () => nodeBuildInfo(readPackageVersion()),
  absolutePath: (path) => resolve(path),
  readFile: readTextFile,
  takeFolder: async (folder) => {
    await ensureSecretFolder(folder);
    return lockFolder(folder);
  },
  hostNames: machineNames,
  ensurePki,
  ensureServingPair,
  writeKubeconfig,
  prefetchStorage: () => {
    const loaded = import('../../storage/lmdb/open.ts').then(({ preloadLmdb }) => preloadLmdb());
    loaded.catch(() => undefined);
  },
  openStorage: async (folder, onProblem) => {
    const { openLmdbStorage } = await import('../../storage/lmdb/open.ts');
    return openLmdbStorage({ folder, onProblem });
  },
  openAuditLog: async (options) => {
    const { openAuditLog } = await import('../../node/audit-log.ts');
    return openAuditLog(options);
  },
  listen: startListener,
  compressor: gzipCompressor,
};
