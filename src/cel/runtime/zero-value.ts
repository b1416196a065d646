/** The zero values of `optional.ofNonZeroValue`. */
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type Value,
} from '../values.ts';

/** Year 1, Go's zero time. */
const ZERO_TIME = -62_135_596_800_000_000_000n;

/** True for null, false, 0, and empty strings, bytes, lists, maps, objects and optionals. */
export function isZeroValue(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) return value.size === 0;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.nanos === ZERO_TIME;
  return value instanceof CelOptional && value.value === undefined;
}
