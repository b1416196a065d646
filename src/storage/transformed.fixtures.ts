/** An asynchronous transformer, for tests of transformed stores. */
import type { ValueTransformer } from './value-transformer.ts';

/** Wraps a transformer so that its answers take different numbers of microtasks. */
export function asynchronous(inner: ValueTransformer): ValueTransformer {
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
