import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { checkAgainstModel } from '../storage.model.suite.ts';
import type { Storage } from '../storage.ts';
import type { SuiteDriver } from '../suite/run-case.ts';
import { openLmdbStorage } from './open.ts';
import type { Retention } from './retention.ts';
import { makeFolder } from './test-folder.fixtures.ts';

/** Each store in a folder of its own. */
function driver(root: string, retention: Partial<Retention> = {}): SuiteDriver {
  const folders = new Map<Storage, string>();
  let count = 0;
  const openAt = async (folder: string, clock: Parameters<SuiteDriver['open']>[0]): Promise<Storage> => {
    const storage = await openLmdbStorage({ folder, clock, retention });
    folders.set(storage, folder);
    return storage;
  };
  return {
    open(clock) {
      rmSync(join(root, `${count}`), { recursive: true, force: true });
      count++;
      return openAt(join(root, `${count}`), clock);
    },
    async reopen(storage, clock) {
      await storage.stop();
      return openAt(folders.get(storage)!, clock);
    },
    fork: false,
  };
}

describe('the storage model on LMDB', () => {
  const root = makeFolder(afterAll);

  it('answers and delivers as the model does, also after restarts', () =>
    checkAgainstModel(driver(join(root, 'default')), { seed: 50_001, scripts: 30 }));

  it('does so with little history', () =>
    checkAgainstModel(driver(join(root, 'little'), { ageMs: 5_000, bytes: 6_000 }), { seed: 60_001, scripts: 15 }));
});
