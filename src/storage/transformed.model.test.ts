import { describe, it } from 'vitest';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { checkAgainstModel } from './storage.model.suite.ts';
import type { SuiteDriver } from './suite/run-case.ts';
import { transformed } from './transformed.ts';
import type { ValueTransformer } from './value-transformer.ts';

/** One byte in front that counts, so that equal values are stored as different bytes. */
function counting(): ValueTransformer {
  let count = 0;
  return {
    toStorage: (value) => Uint8Array.of(count++, ...value),
    fromStorage: (stored) => ({ value: stored.slice(1), stale: false }),
  };
}

/** The same, with answers that take different numbers of turns. */
function countingLater(): ValueTransformer {
  const inner = counting();
  let turn = 0;
  const later = async <T>(result: T): Promise<T> => {
    for (let i = 0; i < (turn++ * 7) % 5; i++) await Promise.resolve();
    return result;
  };
  return {
    toStorage: async (value, context) => later(await inner.toStorage(value, context)),
    fromStorage: async (stored, context) => later(await inner.fromStorage(stored, context)),
  };
}

function driver(transformer: () => ValueTransformer): SuiteDriver {
  return { open: (clock) => transformed(createMemoryStorage({ clock }), transformer()), fork: true };
}

describe('the storage model on transformed values', () => {
  it('answers and delivers as the model does', () =>
    checkAgainstModel(driver(counting), { seed: 30_001, scripts: 40, equalRacesChange: true }));

  it('does so with an asynchronous transformer', () =>
    checkAgainstModel(driver(countingLater), { seed: 40_001, scripts: 40, equalRacesChange: true }));
});
