/** Data folders of servers as the source and the target of a move. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError, toError } from '../../../base/errors.ts';
import { ensureSecretFolder } from '../../../pki/secret-file.ts';
import { isStorageError, StorageError } from '../../../storage/errors.ts';
import { copyStore, verifyCopy } from '../../../storage/lmdb/copy-store.ts';
import { lockFolder } from '../../../storage/lmdb/folder-lock.ts';
import { type OpenStore, openStore, type StoredKey, writeStore } from '../../../storage/lmdb/store-contents.ts';
import { ETCD_PREFIX, etcdKeyOf, keyOfEtcd, SCOPE } from '../../etcd-keys.ts';
import { moveIn } from '../move-in.ts';
import { checkRestoreFinished, FORMER, IMPORTED } from '../restore-state.ts';
import {
  inBatches,
  type MovedItem,
  type MovedKey,
  type MovedState,
  type MoveSource,
  type MoveTarget,
} from './moved-state.ts';

export interface FolderSourceOptions {
  readonly dataDir: string;
  /**
   * Whether to copy the store first, so that a server may use it meanwhile. Otherwise the folder must not be in use.
   */
  readonly whileServed: boolean;
}

/** A data folder, or a backup of one. */
export function folderSource({ dataDir, whileServed }: FolderSourceOptions): MoveSource {
  const storage = join(resolve(dataDir), 'storage');
  return {
    name: dataDir,
    prefix: ETCD_PREFIX,
    read: async () => {
      if (!existsSync(join(storage, 'data.mdb')))
        throw new ConfigError(
          `data folder ${dataDir} holds no stored objects: no server was started with it, or only with another --storage`,
        );
      if (whileServed) return readCopy(storage);
      const release = lockFolder(resolve(dataDir));
      try {
        checkRestoreFinished(resolve(dataDir));
        return closing(stateOf(await openStore(storage)), async () => release());
      } catch (caught) {
        release();
        throw toError(caught);
      }
    },
  };
}

async function readCopy(folder: string): Promise<MovedState> {
  const draft = mkdtempSync(join(tmpdir(), 'keelson-export-'));
  const remove = (): void => rmSync(draft, { recursive: true, force: true });
  try {
    await copyStore(folder, join(draft, 'storage'));
    return closing(stateOf(await openStore(join(draft, 'storage'))), async () => remove());
  } catch (caught) {
    remove();
    throw toError(caught);
  }
}

/** Returns the state with a `close` that also runs `then`. */
function closing(state: MovedState, then: () => Promise<void>): MovedState {
  return { ...state, close: () => state.close().finally(then) };
}

function stateOf(store: OpenStore): MovedState {
  const { revision, imported, keys } = store;
  const own = keys.filter(({ key }) => key.startsWith(`${SCOPE}/`));
  const others = keys.length - own.length;
  return {
    revision,
    keys: own.map(
      ({ key, ...rest }): MovedKey => ({ ...rest, path: etcdKeyOf(key, ETCD_PREFIX).slice(ETCD_PREFIX.length + 1) }),
    ),
    imported,
    notes: others === 0 ? [] : [`Left out: ${count(others, 'key')} that no server wrote.`],
    items: (wanted) => inBatches(wanted, ({ path }) => store.value(storeKey(path))),
    close: () => store.close(),
  };
}

export interface FolderTargetOptions {
  readonly dataDir: string;
  /** Whether to replace the objects of a folder that has some. Its keys and certificates are kept. */
  readonly replace: boolean;
  /** The distance from the revision of the source to the first revision of the target. */
  readonly bump: number;
  readonly clock: Clock;
}

/**
 * The objects of a data folder. The new objects are written to a separate folder, and replace the old ones once they
 * are verified.
 */
export function folderTarget({ dataDir, replace, bump, clock }: FolderTargetOptions): MoveTarget {
  const folder = resolve(dataDir);
  const staged = join(folder, IMPORTED);
  let release: (() => void) | undefined;
  let isWriting = false;
  let revision = 0;
  return {
    name: dataDir,
    prefix: ETCD_PREFIX,
    takesPrivateKeys: false,
    check: async () => {
      await ensureSecretFolder(folder);
      release = lockFolder(folder);
      const isUsed = existsSync(join(folder, 'storage')) || existsSync(join(folder, FORMER));
      if (isUsed && !replace)
        throw new ConfigError(
          `data folder ${dataDir} has objects already: name another folder, or replace them with --replace`,
        );
    },
    write: async ({ revision: last, imported, total, batches }, report) => {
      rmSync(staged, { recursive: true, force: true });
      isWriting = true;
      revision = last + bump;
      await named(() =>
        writeStore(join(staged, 'storage'), {
          keys: storedKeys(batches),
          revision,
          imported,
          now: clock.now(),
          onProgress: (done) => report('write', done, total),
        }),
      );
    },
    readBack: async () => {
      await verifyCopy(join(staged, 'storage'), dataDir);
      return stateOf(await openStore(join(staged, 'storage')));
    },
    finish: async () => {
      rmSync(join(staged, 'storage', 'data.mdb-lock'), { force: true });
      const releaseStore = existsSync(join(folder, 'storage')) ? lockFolder(join(folder, 'storage')) : undefined;
      try {
        moveIn(folder, staged);
      } finally {
        releaseStore?.();
      }
      return {
        revision,
        notes: [
          `Objects keep their resourceVersions. New writes continue after revision ${revision}, so every client lists again.`,
        ],
      };
    },
    close: async () => {
      if (isWriting) rmSync(staged, { recursive: true, force: true });
      release?.();
    },
  };
}

async function* storedKeys(batches: AsyncIterable<readonly MovedItem[]>): AsyncIterable<readonly StoredKey[]> {
  for await (const batch of batches) yield batch.map(({ path, ...rest }) => ({ ...rest, key: storeKey(path) }));
}

function storeKey(path: string): string {
  return keyOfEtcd(`${ETCD_PREFIX}/${path}`, ETCD_PREFIX) as string;
}

/** Runs a write. Adds the key to the message about a key or value that a store cannot hold. */
async function named(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (caught) {
    if (!isStorageError(caught, 'InvalidArgument') || caught.key === undefined) throw caught;
    throw new StorageError(caught.code, `${caught.key}: ${caught.message}`, { cause: caught });
  }
}
