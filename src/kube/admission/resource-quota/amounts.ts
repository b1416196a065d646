/** The arithmetic of amounts by resource name. No function modifies its arguments. */
import { formatQuantity, type Quantity, ZERO_QUANTITY } from '../../../apimachinery/scalars/quantity.ts';
import {
  compareQuantity,
  isZeroQuantity,
  quantitySign,
  subQuantity,
} from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { addAmounts, type ResourceAmounts } from '../../shared/resource-lists.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

export function sum(a: Amounts, b: Amounts): ResourceAmounts {
  const result = new Map(a);
  addAmounts(result, new Map(b));
  return result;
}

/** Returns `a` minus `b`, with zero in place of negative amounts. */
export function excess(a: Amounts, b: Amounts): ResourceAmounts {
  const result: ResourceAmounts = new Map();
  for (const [name, amount] of a) {
    const rest = subQuantity(amount, b.get(name) ?? ZERO_QUANTITY);
    result.set(name, quantitySign(rest) > 0 ? rest : ZERO_QUANTITY);
  }
  return result;
}

export function mask(amounts: Amounts, isWanted: (name: string) => boolean): ResourceAmounts {
  return new Map([...amounts].filter(([name]) => isWanted(name)));
}

export function withoutZeros(amounts: Amounts): ResourceAmounts {
  return new Map([...amounts].filter(([, amount]) => !isZeroQuantity(amount)));
}

export function equalAmounts(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, amount]) => {
    const other = b.get(name);
    return other !== undefined && compareQuantity(amount, other) === 0;
  });
}

/** Formats amounts as `a=1,b=2`, sorted by name. */
export function formatAmounts(amounts: Amounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${formatQuantity(amounts.get(name) as Quantity)}`)
    .join(',');
}
