import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'vitest';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { storageSuite } from '../storage.suite.ts';
import type { Storage } from '../storage.ts';
import { openLmdbStorage } from './open.ts';

describe('the storage suite on LMDB', () => {
  const opened: Storage[] = [];
  const folders = new Map<Storage, string>();
  let root: string | undefined;

  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.stop();
    folders.clear();
    if (root !== undefined) rmSync(root, { recursive: true });
    root = undefined;
  });

  for (const { name, needs, run } of storageSuite) {
    it.skipIf(needs === 'fork')(needs === 'fork' ? `${name} (skipped: a folder cannot be forked)` : name, async () => {
      root = mkdtempSync(join(tmpdir(), 'keelson-suite-'));
      const base = root;
      const clock = new VirtualClock();
      const openAt = async (folder: string): Promise<Storage> => {
        const storage = await openLmdbStorage({ folder, clock });
        opened.push(storage);
        folders.set(storage, folder);
        return storage;
      };
      await run({
        clock,
        settle,
        advance: (ms) => clock.advance(ms),
        timeScale: 1,
        open: () => openAt(join(base, `${opened.length}`)),
        reopen: async (storage) => {
          await storage.stop();
          return openAt(folders.get(storage) as string);
        },
      });
    });
  }
});
