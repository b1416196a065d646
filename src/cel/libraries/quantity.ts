/** The library `kubernetes.quantity`: resource quantities. */

import { type Quantity, quantityFromInt } from '../../apimachinery/scalars/quantity.ts';
import {
  addQuantity,
  asApproximateFloat,
  asInt64,
  compareQuantity,
  quantitySign,
  subQuantity,
} from '../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../apimachinery/scalars/quantity-parse.ts';
import type { Library } from '../library.ts';
import { intOf } from '../runtime/integers.ts';
import { BOOL, DOUBLE, INT, type OpaqueType, opaqueType, STRING } from '../types.ts';
import { CelDouble, CelError, type CelInt, CelOpaque, type Value } from '../values.ts';
import { NOMINAL, ONE_WALK } from './costs.ts';
import { declare, member, overload } from './declare.ts';

export const QUANTITY: OpaqueType = opaqueType('kubernetes.Quantity');

export class CelQuantity extends CelOpaque {
  readonly type: OpaqueType = QUANTITY;
  readonly quantity: Quantity;
  /** True for a sum or a difference. kube-apiserver cannot compare such a value on the right side of `==`. */
  readonly computed: boolean;

  constructor(quantity: Quantity, computed: boolean = false) {
    super();
    this.quantity = quantity;
    this.computed = computed;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelQuantity) || other.computed) throw new CelError('no such overload');
    return compareQuantity(this.quantity, other.quantity) === 0;
  }
}

function toQuantity(text: Value): CelQuantity {
  const parsed = parseQuantity(text as string);
  if (!parsed.ok) throw new CelError(parsed.message);
  return new CelQuantity(parsed.value);
}

function amount(value: Value): Quantity {
  return (value as CelQuantity).quantity;
}

function toInteger(value: Value): CelInt {
  const integer = asInt64(amount(value));
  if (integer === undefined) throw new CelError('cannot convert value to integer');
  return intOf(integer);
}

type Arithmetic = (a: Quantity, b: Quantity) => Quantity;

function arithmetic(name: string, compute: Arithmetic): ReturnType<typeof declare> {
  return declare(
    name,
    member(
      `quantity_${name}`,
      [QUANTITY, QUANTITY],
      QUANTITY,
      (a, b) => new CelQuantity(compute(amount(a as Value), amount(b as Value)), true),
      NOMINAL,
    ),
    member(
      `quantity_${name}_int`,
      [QUANTITY, INT],
      QUANTITY,
      (a, b) => new CelQuantity(compute(amount(a as Value), quantityFromInt(b as CelInt, 'DecimalExponent')), true),
      NOMINAL,
    ),
  );
}

function compare(a: Value, b: Value): number {
  return compareQuantity(amount(a), amount(b));
}

const PAIR = [QUANTITY, QUANTITY];

export const QUANTITY_LIBRARY: Library = {
  name: 'kubernetes.quantity',
  functions: [
    declare('quantity', overload('string_to_quantity', [STRING], QUANTITY, toQuantity, ONE_WALK)),
    declare(
      'isQuantity',
      overload('is_quantity_string', [STRING], BOOL, (text) => parseQuantity(text as string).ok, ONE_WALK),
    ),
    // Unlike the others, `sign` is a function and not a method.
    declare(
      'sign',
      overload('quantity_sign', [QUANTITY], INT, (value) => quantitySign(amount(value)), NOMINAL),
    ),
    declare(
      'isGreaterThan',
      member('quantity_is_greater_than', PAIR, BOOL, (a, b) => compare(a as Value, b as Value) > 0, NOMINAL),
    ),
    declare(
      'isLessThan',
      member('quantity_is_less_than', PAIR, BOOL, (a, b) => compare(a as Value, b as Value) < 0, NOMINAL),
    ),
    declare(
      'compareTo',
      member('quantity_compare_to', PAIR, INT, (a, b) => compare(a as Value, b as Value), NOMINAL),
    ),
    declare(
      'asApproximateFloat',
      member(
        'quantity_get_float',
        [QUANTITY],
        DOUBLE,
        (value) => new CelDouble(asApproximateFloat(amount(value))),
        NOMINAL,
      ),
    ),
    declare('asInteger', member('quantity_get_int', [QUANTITY], INT, toInteger, NOMINAL)),
    declare(
      'isInteger',
      member('quantity_is_integer', [QUANTITY], BOOL, (value) => asInt64(amount(value)) !== undefined, NOMINAL),
    ),
    arithmetic('add', addQuantity),
    arithmetic('sub', subQuantity),
  ],
};
