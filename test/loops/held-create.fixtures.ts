/** A storage in memory in which the creation of one object waits: admission has let it through. */
import { Deferred } from '../../src/base/deferred.ts';
import { changedStorage } from '../../src/storage/changed-storage.fixtures.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';

export interface HeldCreate {
  readonly storage: Storage;
  /** Resolves when the object is about to be stored. */
  readonly entered: Promise<void>;
  release(): void;
}

/** Holds up the key that ends in `/<name>`. Default: in a storage of its own. */
export function holdCreate(name: string, memory: Storage = createMemoryStorage()): HeldCreate {
  const [entered, released] = [new Deferred<void>(), new Deferred<void>()];
  const create: Storage['create'] = async (key, value, options) => {
    if (key.endsWith(`/${name}`)) {
      entered.resolve();
      await released.promise;
    }
    return memory.create(key, value, options);
  };
  return { storage: changedStorage(memory, { create }), entered: entered.promise, release: () => released.resolve() };
}
