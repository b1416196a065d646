/** Comparisons in JSONPath filters. Only values of one kind can be compared. */
import type { JsonValue } from '../../base/json-value.ts';

/** Returns undefined if the operator does not apply to the two values. */
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

/** Integers and doubles are different kinds, as in client-go. */
function kindOf(value: Comparable): string {
  if (typeof value !== 'number') return typeof value === 'bigint' ? 'integer' : typeof value;
  return Number.isInteger(value) ? 'integer' : 'double';
}
