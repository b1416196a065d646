import { describe, it } from 'vitest';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { scoped } from './scoped.ts';
import { checkAgainstModel } from './storage.model.suite.ts';
import type { SuiteDriver } from './suite/run-case.ts';

/** Stopping the scoped store also stops the outer store, so that the test detects anything that it left behind. */
const driver: SuiteDriver = {
  open(clock) {
    const outer = createMemoryStorage({ clock });
    const inner = scoped(outer, 'scope/');
    const stop = inner.stop.bind(inner);
    return Object.assign(inner, { stop: () => stop().then(() => outer.stop()) });
  },
  fork: true,
};

describe('the storage model on a scoped store', () => {
  it('answers and delivers as the model does', () => checkAgainstModel(driver, { seed: 20_001, scripts: 100 }));
});
