/** The type `JSONPatch` and the library `kubernetes.jsonpatch`, for mutating policies. */
import type { Library } from '../library.ts';
import { DYN, type ObjectType, STRING } from '../types.ts';
import { ONE_WALK_SAME_SIZE } from './costs.ts';
import { declare, overload } from './declare.ts';

const FIELDS = new Map([
  ['op', STRING],
  ['from', STRING],
  ['path', STRING],
  ['value', DYN],
] as const);

/** One operation of a JSON patch. */
export const JSON_PATCH: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  field: (name) => FIELDS.get(name as never),
  fieldNames: () => FIELDS.keys(),
};

/** `jsonpatch.escapeKey` escapes `/` and `~` for a JSON pointer. */
export const JSON_PATCH_LIBRARY: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    declare(
      'jsonpatch.escapeKey',
      overload(
        'string_jsonpatch_escapeKey_string',
        [STRING],
        STRING,
        (key) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
        ONE_WALK_SAME_SIZE,
      ),
    ),
  ],
};
