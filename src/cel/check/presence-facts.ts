/**
 * Facts about the presence of values, and what follows from the outcome of a test. Facts are found by
 * `absent-reads.ts`.
 */
import type { CallExpr, Expr } from '../ast.ts';

/**
 * Facts about expressions, by their keys of the search: 1 if a value is present; for lists, the minimum size under
 * the key of `size`.
 */
export type Facts = ReadonlyMap<string, number>;

export const NO_FACTS: Facts = new Map();

/** The facts that hold if an expression is true, and if it is false. `never`: the expression has not this value. */
export interface Outcome {
  readonly yes: Facts | 'never';
  readonly no: Facts | 'never';
}

export const UNKNOWN: Outcome = { yes: NO_FACTS, no: NO_FACTS };

/** The facts if both hold. */
export function both(left: Facts | 'never', right: Facts | 'never'): Facts | 'never' {
  if (left === 'never' || right === 'never') return 'never';
  if (left.size === 0) return right;
  if (right.size === 0) return left;
  const facts = new Map(left);
  for (const [key, value] of right) facts.set(key, Math.max(value, facts.get(key) ?? 0));
  return facts;
}

/** The facts if one of them holds. */
export function either(left: Facts | 'never', right: Facts | 'never'): Facts | 'never' {
  if (left === 'never') return right;
  if (right === 'never') return left;
  const facts = new Map<string, number>();
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other !== undefined) facts.set(key, Math.min(value, other));
  }
  return facts;
}

export function negated({ yes, no }: Outcome): Outcome {
  return { yes: no, no: yes };
}

/** A comparison of the size of a list with a constant. */
export interface SizeComparison {
  readonly operator: string;
  readonly list: Expr;
  readonly limit: number;
}

const MIRRORED: Readonly<Record<string, string>> = {
  '_>_': '_<_',
  '_>=_': '_<=_',
  '_<_': '_>_',
  '_<=_': '_>=_',
  '_==_': '_==_',
  '_!=_': '_!=_',
};

/** Returns undefined for other calls. The size may be on either side. */
export function sizeComparison({ name, args }: CallExpr): SizeComparison | undefined {
  const [left, right] = args;
  const mirrored = MIRRORED[name];
  if (left === undefined || right === undefined || mirrored === undefined) return undefined;
  return comparisonOf(name, left, right) ?? comparisonOf(mirrored, right, left);
}

function comparisonOf(operator: string, sized: Expr, constant: Expr): SizeComparison | undefined {
  const list = sized.kind === 'call' && sized.name === 'size' ? (sized.target ?? sized.args[0]) : undefined;
  if (list === undefined || constant.kind !== 'literal' || constant.literal.type !== 'int') return undefined;
  return { operator, list, limit: Number(constant.literal.value) };
}

/** The key of the minimum size of a list. */
export function sizeKey(list: string): string {
  return `size ${list}`;
}

/** The facts of a comparison. `list` is the key of the list; undefined if it has none. */
export function sizeFacts({ operator, limit }: SizeComparison, list: string | undefined): Outcome {
  const atLeast = (size: number): Facts =>
    list === undefined || size <= 0 ? NO_FACTS : new Map([[sizeKey(list), size]]);
  switch (operator) {
    case '_>_':
      return { yes: atLeast(limit + 1), no: NO_FACTS };
    case '_>=_':
      return { yes: atLeast(limit), no: NO_FACTS };
    case '_<_':
      return { yes: NO_FACTS, no: atLeast(limit) };
    case '_<=_':
      return { yes: NO_FACTS, no: atLeast(limit + 1) };
    case '_==_':
      return { yes: atLeast(limit), no: limit === 0 ? atLeast(1) : NO_FACTS };
    case '_!=_':
      return { yes: limit === 0 ? atLeast(1) : NO_FACTS, no: atLeast(limit) };
    default:
      return UNKNOWN;
  }
}
