/** Opens the storage of an extension server. */
import { join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Lifetime } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import { ensureSecretFolder } from '../../pki/secret-file.ts';
import { startCompactor } from '../../storage/compactor.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ExtensionServerOptions } from '../extension-server.ts';

export const DEFAULT_FOLDER = '.keelson-extension';

type StorageOption = ExtensionServerOptions['storage'];

/** Returns the folder of the server; undefined if it keeps nothing on disk. */
export function folderOf(option: StorageOption): string | undefined {
  if (option === undefined) return resolve(DEFAULT_FOLDER);
  return option !== 'memory' && 'folder' in option ? resolve(option.folder) : undefined;
}

export interface OpenContext {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stops the storage and its compactor. */
  readonly lifetime: Lifetime;
}

/**
 * Opens the storage. If all resources have their own store or storage, opens an empty one in memory instead. Throws
 * ConfigError if the folder cannot be used.
 */
export async function openStorage(
  { storage: option, resources }: Pick<ExtensionServerOptions, 'storage' | 'resources'>,
  { clock, logger, lifetime }: OpenContext,
): Promise<Storage> {
  if (typeof option === 'object' && !('folder' in option)) return option;
  const folder = folderOf(option);
  const needed = resources.some(({ store, storage }) => store === undefined && storage === undefined);
  const storage =
    folder === undefined || !needed ? createMemoryStorage({ clock }) : await openFolder(folder, clock, logger);
  lifetime.add('storage', () => storage.stop());
  const compactor = startCompactor(storage, {
    clock,
    onError: (error) => logger.error('cannot compact old revisions; the next interval tries again', error),
  });
  lifetime.add('compactor', () => compactor.stop());
  return storage;
}

async function openFolder(folder: string, clock: Clock, logger: Logger): Promise<Storage> {
  const { openLmdbStorage } = await import('../../storage/lmdb/open.ts');
  await ensureSecretFolder(folder);
  return openLmdbStorage({
    folder: join(folder, 'storage'),
    clock,
    onProblem: (error) => logger.error('storage cannot remove old revisions', error),
  });
}
