/** Encodes the objects of a snapshot as our server stores them on etcd, and writes them to another etcd. */

import { systemClock } from '../../src/base/clock.ts';
import { SILENT } from '../../src/base/logger.ts';
import { completeOptions } from '../../src/controlplane/complete-options.ts';
import { decodeSnapshot } from '../../src/controlplane/decode-snapshot.ts';
import { parseEncryptionConfig } from '../../src/controlplane/encryption-config.ts';
import { ETCD_PREFIX, etcdKeyOf } from '../../src/controlplane/etcd-keys.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { serverOptions } from '../../src/controlplane/options.ts';
import { SnapshotStore } from '../../src/controlplane/snapshot-store.ts';
import { createEncryption } from '../../src/controlplane/stored-encryption.ts';
import { nodeBuildInfo } from '../../src/node/platform.ts';
import type { StorageMediaType } from '../../src/server/registry/stored-forms.ts';
import { IGNORING_OBSERVER } from '../../src/storage/encryption/kms/kms-observer.ts';
import { openFile } from '../../src/storage/snapshot-file/random-access.ts';
import { readSnapshot, verifyHash } from '../../src/storage/snapshot-file/read-snapshot.ts';
import { etcdWriter } from './etcd-put.ts';

export interface WriteBackOptions {
  readonly path: string;
  /** The text of the EncryptionConfiguration. */
  readonly config: string | undefined;
  readonly mediaType: StorageMediaType;
  readonly etcdUrl: string;
}

/** Returns the number of objects that were written. Throws if one of them cannot be decoded. */
export async function writeBack({ path, config, mediaType, etcdUrl }: WriteBackOptions): Promise<number> {
  const factory = nodePlatform.createProviderFactory({
    clock: systemClock,
    logger: SILENT,
    observer: IGNORING_OBSERVER,
  });
  const providers =
    config === undefined ? undefined : parseEncryptionConfig({ path: 'encryption.json', text: config }, factory);
  await providers?.start();
  const rules = providers?.rules;
  const store = new SnapshotStore({
    prefix: ETCD_PREFIX,
    rules,
    reason: 'read-only',
    mediaType,
  });
  const encryption = createEncryption(rules ?? new Map(), store.forms, ETCD_PREFIX);
  const options = serverOptions({ storage: 'memory', dataDir: '', controllers: [] });
  const completed = await completeOptions(options, { ...nodePlatform, buildInfo: () => nodeBuildInfo('0.0.0') });
  const file = openFile(path);
  verifyHash(file);
  const state = readSnapshot(file);
  file.close();
  const etcd = etcdWriter(etcdUrl);
  try {
    return await decodeSnapshot(completed, store, state, async ({ report, items }) => {
      const [problem] = report.undecodable;
      if (problem !== undefined) throw new Error(`${problem.key}: ${problem.reason}`);
      let count = 0;
      for await (const { key, value } of items) {
        await etcd.put(
          etcdKeyOf(key, ETCD_PREFIX),
          encryption.toStorage(store.forms.toStorage(value, { key }), { key }),
        );
        count++;
      }
      return count;
    });
  } finally {
    await providers?.stop();
    etcd.close();
  }
}
