import { describe, it } from 'vitest';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { checkAgainstModel } from './storage.model.suite.ts';
import type { SuiteDriver } from './suite/run-case.ts';
import { asynchronous } from './transformed.fixtures.ts';
import { transformed } from './transformed.ts';
import type { ValueTransformer } from './value-transformer.ts';

/** Prepends a counter, so that equal values are stored as different bytes. */
function counting(): ValueTransformer {
  let count = 0;
  return {
    toStorage: (value) => Uint8Array.of(count++, ...value),
    fromStorage: (stored) => ({ value: stored.slice(1), stale: false }),
  };
}

function driver(transformer: () => ValueTransformer): SuiteDriver {
  return { open: (clock) => transformed(createMemoryStorage({ clock }), transformer()), fork: true };
}

describe('the storage model on transformed values', () => {
  it('answers and delivers as the model does', () =>
    checkAgainstModel(driver(counting), { seed: 30_001, scripts: 40, equalRacesChange: true }));

  it('does so with an asynchronous transformer', () =>
    checkAgainstModel(
      driver(() => asynchronous(counting())),
      { seed: 40_001, scripts: 40, equalRacesChange: true },
    ));
});
