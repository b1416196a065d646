/** Comparisons inside the filters of JSONPath. Invariant: only what is of one kind can be compared; everything else has no outcome. */
import type { JsonValue } from '../../base/json-value.ts';

/** Undefined where the two cannot be compared like this. */
export function compareScalars(left: JsonValue, operator: string, right: JsonValue): boolean | undefined {
  if (!isComparable(left) || !isComparable(right) || kindOf(left) !== kindOf(right)) return undefined;
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    default:
      break;
  }
  if (typeof left === 'boolean') return undefined;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return undefined;
  }
}

type Comparable = string | number | bigint | boolean;

function isComparable(value: JsonValue): value is Comparable {
  return value !== null && typeof value !== 'object';
}

/** Integers and doubles are two kinds. */
function kindOf(value: Comparable): string {
  if (typeof value !== 'number') return typeof value === 'bigint' ? 'integer' : typeof value;
  return Number.isInteger(value) ? 'integer' : 'double';
}
