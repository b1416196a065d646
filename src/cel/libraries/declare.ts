/**
 * Short forms for writing down functions. Invariant: what they make is plain data of `library.ts`, nothing is added to it.
 */
import type { FunctionDeclaration, Overload } from '../library.ts';
import type { CelType } from '../types.ts';

/** What an overload may say beside its types and what it does. */
export type OverloadCosts = Pick<Overload, 'runtimeCost' | 'estimateCost'>;

/** `f(params)`. */
export function overload(
  id: string,
  params: readonly CelType[],
  result: CelType,
  evaluate?: Overload['evaluate'],
  costs?: OverloadCosts,
): Overload {
  return { id, params, result, ...(evaluate === undefined ? {} : { evaluate }), ...costs };
}

/** `params[0].f(the rest)`. */
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
