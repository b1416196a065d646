import { describe, expect, it } from 'vitest';
import { checkAgainstModel } from '../storage.model.suite.ts';
import type { SuiteDriver } from '../suite/run-case.ts';
import { createMemoryStorage } from './memory-storage.ts';

const driver: SuiteDriver = { open: (clock) => createMemoryStorage({ clock }), fork: true };

/** Keeps so little history that most of it is dropped. */
const forgetful: SuiteDriver = {
  open: (clock) => createMemoryStorage({ clock, retention: { revisions: 25, bytes: 6_000, ageMs: 5_000 } }),
  fork: true,
};

describe('the storage model on memory', () => {
  it('answers and delivers as the model does', () => checkAgainstModel(driver, { seed: 1, scripts: 300 }));

  it('does so with little history', () => checkAgainstModel(forgetful, { seed: 10_001, scripts: 60 }));

  it('detects a wrong store, with a short script', async () => {
    const wrong: SuiteDriver = {
      open(clock) {
        const storage = createMemoryStorage({ clock });
        const remove = storage.delete.bind(storage);
        // This broken store ignores the expected revision for one key.
        return Object.assign(storage, {
          delete: (key: string, options?: { expected?: number }) => remove(key, key === 'b/2' ? {} : options),
        });
      },
      fork: true,
    };
    const failure = await checkAgainstModel(wrong, { seed: 1, scripts: 300 }).then(
      () => 'nothing was found',
      (caught: Error) => caught.message,
    );
    expect(failure).toMatch(/^seed \d+: the answer to \{ expected: \d+, key: "b\/2", op: "delete" \}/);
    expect(failure.split('\n').length).toBeLessThan(8);
  });
});
