import { describe, it } from 'vitest';
import { checkAgainstModel } from '../storage.model.suite.ts';
import type { SuiteDriver } from '../suite/run-case.ts';
import { createMemoryStorage } from './memory-storage.ts';

const driver: SuiteDriver = { open: (clock) => createMemoryStorage({ clock }), fork: true };

/** So little history that most of it is gone. */
const forgetful: SuiteDriver = {
  open: (clock) => createMemoryStorage({ clock, retention: { revisions: 25, bytes: 6_000, ageMs: 5_000 } }),
  fork: true,
};

describe('the storage model on memory', () => {
  it('answers and delivers as the model does', () => checkAgainstModel(driver, { seed: 1, scripts: 300 }));

  it('does so with little history', () => checkAgainstModel(forgetful, { seed: 10_001, scripts: 100 }));
});
