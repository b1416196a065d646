/** Short forms for declaring functions. */
import type { FunctionDeclaration, Overload } from '../library.ts';
import type { CelType } from '../types.ts';

/** The cost functions of an overload. */
export type OverloadCosts = Pick<Overload, 'runtimeCost' | 'estimateCost'>;

/** An overload of a function: `f(params)`. */
export function overload(
  id: string,
  params: readonly CelType[],
  result: CelType,
  evaluate?: Overload['evaluate'],
  costs?: OverloadCosts,
): Overload {
  return { id, params, result, ...(evaluate === undefined ? {} : { evaluate }), ...costs };
}

/** An overload of a method: `params[0].f(params[1], ...)`. */
export function member(
  id: string,
  params: readonly CelType[],
  result: CelType,
  evaluate?: Overload['evaluate'],
  costs?: OverloadCosts,
): Overload {
  return { ...overload(id, params, result, evaluate, costs), member: true };
}

export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}
