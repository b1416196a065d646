/** Data folders of servers as the source and the target of a move. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError } from '../../../base/errors.ts';
import { ensureSecretFolder } from '../../../pki/secret-file.ts';
import { isStorageError, StorageError } from '../../../storage/errors.ts';
import { copyStore, verifyCopy } from '../../../storage/lmdb/copy-store.ts';
import { lockFolder } from '../../../storage/lmdb/folder-lock.ts';
import { readStore, type StoreContents, writeStore } from '../../../storage/lmdb/store-contents.ts';
import { ETCD_PREFIX, etcdKeyOf, keyOfEtcd, SCOPE } from '../../etcd-keys.ts';
import { moveIn } from '../move-in.ts';
import { checkRestoreFinished, FORMER, IMPORTED } from '../restore-state.ts';
import {
  byPath,
  byRevision,
  type MovedItem,
  type MovedState,
  type MoveSource,
  type MoveTarget,
} from './moved-state.ts';

export interface FolderSourceOptions {
  readonly dataDir: string;
  /** Copies the store first, so that a server may use it. Otherwise the folder must not be in use. */
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
      if (whileServed) return stateOf(await readCopy(storage));
      const release = lockFolder(resolve(dataDir));
      try {
        checkRestoreFinished(resolve(dataDir));
        return stateOf(await readStore(storage));
      } finally {
        release();
      }
    },
  };
}

async function readCopy(folder: string): Promise<StoreContents> {
  const draft = mkdtempSync(join(tmpdir(), 'keelson-export-'));
  try {
    await copyStore(folder, join(draft, 'storage'));
    return await readStore(join(draft, 'storage'));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function stateOf({ revision, imported, keys }: StoreContents): MovedState {
  const own = keys.filter(({ key }) => key.startsWith(`${SCOPE}/`));
  const items = own.map(
    ({ key, ...rest }): MovedItem => ({ ...rest, path: etcdKeyOf(key, ETCD_PREFIX).slice(ETCD_PREFIX.length + 1) }),
  );
  const others = keys.length - own.length;
  const notes = others === 0 ? [] : [`Left out: ${count(others, 'key')} that no server wrote.`];
  return { revision, items: byPath(items), imported, notes };
}

export interface FolderTargetOptions {
  readonly dataDir: string;
  /** Replaces the objects of a folder that has some. Its keys and certificates stay. */
  readonly replace: boolean;
  /** The distance from the revision of the source to the first revision of the target. */
  readonly bump: number;
  readonly clock: Clock;
}

/** The objects of a data folder. They are written beside the former ones and moved in when they are verified. */
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
    write: async (state, report) => {
      rmSync(staged, { recursive: true, force: true });
      isWriting = true;
      revision = state.revision + bump;
      await named(() =>
        writeStore(join(staged, 'storage'), {
          keys: byRevision(state.items).map(({ path, ...rest }) => ({ ...rest, key: storeKey(path) })),
          revision,
          imported: state.imported,
          now: clock.now(),
          onProgress: (done) => report('write', done, state.items.length),
        }),
      );
    },
    readBack: async () => {
      await verifyCopy(join(staged, 'storage'), dataDir);
      return stateOf(await readStore(join(staged, 'storage')));
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

function storeKey(path: string): string {
  return keyOfEtcd(`${ETCD_PREFIX}/${path}`, ETCD_PREFIX) as string;
}

/** Names the key in the message of a key or value that a store cannot hold. */
async function named(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (caught) {
    if (!isStorageError(caught, 'InvalidArgument') || caught.key === undefined) throw caught;
    throw new StorageError(caught.code, `${caught.key}: ${caught.message}`, { cause: caught });
  }
}
