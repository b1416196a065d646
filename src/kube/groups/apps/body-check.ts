/** A check of request bodies that normalization does not make. */
import type { JsonObject } from '../../../base/json-value.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';

/**
 * Returns the version with `check` added to its `normalize`. `check` runs on the normalized object and returns why the
 * body cannot be decoded, or undefined.
 */
export function withBodyCheck(
  version: VersionDefinition,
  check: (object: JsonObject) => string | undefined,
): VersionDefinition {
  return {
    ...version,
    normalize: (object, keepsEmptyLists) => {
      const result = version.normalize(object, keepsEmptyLists);
      const message = result.ok ? check(result.object) : undefined;
      return message === undefined ? result : { ok: false, message };
    },
  };
}
