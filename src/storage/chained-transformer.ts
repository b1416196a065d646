/** Two transformers as one, such as encryption around another encoding. */
import { andThen } from '../base/maybe-promise.ts';
import type { ValueTransformer } from './value-transformer.ts';

/** On a write `inner` runs first and `outer` makes the stored bytes. A value is stale if either transformer says so. */
export function chained(outer: ValueTransformer, inner: ValueTransformer): ValueTransformer {
  return {
    fromStorage: (stored, context) =>
      andThen(outer.fromStorage(stored, context), (opened) =>
        andThen(inner.fromStorage(opened.value, context), ({ value, stale, isOwn }) => ({
          value,
          stale: stale || opened.stale,
          isOwn,
        })),
      ),
    toStorage: (value, context) =>
      andThen(inner.toStorage(value, context), (encoded) => outer.toStorage(encoded, context)),
  };
}
