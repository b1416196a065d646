/** The type `JSONPatch` and the library `kubernetes.jsonpatch`, for mutating policies. */
import type { Library } from '../library.ts';
import { type CelType, DYN, type ObjectType, STRING } from '../types.ts';
import { CelDouble, CelDuration, CelList, CelMap, CelTimestamp, CelUint, type Value } from '../values.ts';
import { ONE_WALK_SAME_SIZE } from './costs.ts';
import { declare, overload } from './declare.ts';

const FIELDS = new Map([
  ['op', STRING],
  ['from', STRING],
  ['path', STRING],
  ['value', DYN],
] as const);

/** The type of other fields, whose name kube-apiserver leaves empty: nothing but `dyn` can be assigned to it. */
const NO_TYPE: CelType = { kind: 'opaque', name: '', params: [] };

/** One operation of a JSON patch. */
export const JSON_PATCH: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  field: (name) => FIELDS.get(name as never) ?? NO_TYPE,
  fieldNames: () => FIELDS.keys(),
  // The type checker lets `dyn` pass for a string.
  valueProblem: (field, value) =>
    field === 'value' || typeof value === 'string'
      ? undefined
      : `unexpected type ${goTypeOf(value as Value)} for JSONPatchType '${field}' field`,
};

/** The Go type of a value, as cel-go prints it. */
function goTypeOf(value: Value): string {
  if (value === null) return 'structpb.NullValue';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'int64';
  if (value instanceof CelUint) return 'uint64';
  if (value instanceof CelDouble) return 'float64';
  if (value instanceof Uint8Array) return '[]uint8';
  if (value instanceof CelList) return '[]ref.Val';
  if (value instanceof CelMap) return 'map[ref.Val]ref.Val';
  if (value instanceof CelTimestamp) return 'time.Time';
  return value instanceof CelDuration ? 'time.Duration' : 'map[string]interface {}';
}

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
