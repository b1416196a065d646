/**
 * Functions that create and walk nodes, for the parser and for macros.
 *
 * Invariant: every call creates a new node. An expression that a macro uses twice must be copied, because nodes are
 * keys of maps.
 */
import { BugError } from '../../base/errors.ts';
import {
  ACCUMULATOR,
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type IdentExpr,
  type ListExpr,
  type Literal,
  type LiteralExpr,
} from '../ast.ts';

export function literalAt(at: number, literal: Literal): LiteralExpr {
  return { kind: 'literal', at, literal };
}

export function identAt(at: number, name: string): IdentExpr {
  return { kind: 'ident', at, name };
}

export function accumulatorAt(at: number): IdentExpr {
  return identAt(at, ACCUMULATOR);
}

export function callAt(at: number, name: string, ...args: readonly Expr[]): CallExpr {
  return { kind: 'call', at, name, target: undefined, args };
}

export function memberCallAt(at: number, name: string, target: Expr, ...args: readonly Expr[]): CallExpr {
  return { kind: 'call', at, name, target, args };
}

export function listAt(at: number, ...elements: readonly Expr[]): ListExpr {
  return { kind: 'list', at, elements, optional: [] };
}

/** A comprehension, by default with one variable and the accumulator of macros. */
export function comprehensionAt(
  at: number,
  parts: Omit<ComprehensionExpr, 'kind' | 'at' | 'variable2' | 'accumulator'> &
    Partial<Pick<ComprehensionExpr, 'variable2' | 'accumulator'>>,
): ComprehensionExpr {
  return {
    kind: 'comprehension',
    at,
    range: parts.range,
    variable: parts.variable,
    variable2: parts.variable2 ?? '',
    accumulator: parts.accumulator ?? ACCUMULATOR,
    init: parts.init,
    condition: parts.condition,
    step: parts.step,
    result: parts.result,
  };
}

/** Copies a tree. */
export function copyExpr(expr: Expr): Expr {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return { ...expr };
    case 'select':
      return { ...expr, operand: copyExpr(expr.operand) };
    case 'call':
      return {
        ...expr,
        target: expr.target === undefined ? undefined : copyExpr(expr.target),
        args: expr.args.map(copyExpr),
      };
    case 'list':
      return { ...expr, elements: expr.elements.map(copyExpr) };
    case 'map':
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ ...entry, key: copyExpr(entry.key), value: copyExpr(entry.value) })),
      };
    case 'struct':
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: copyExpr(field.value) })) };
    case 'comprehension':
      return {
        ...expr,
        range: copyExpr(expr.range),
        init: copyExpr(expr.init),
        condition: copyExpr(expr.condition),
        step: copyExpr(expr.step),
        result: copyExpr(expr.result),
      };
  }
}

export function countNodes(expr: Expr): number {
  return childrenOf(expr).reduce((sum, child) => sum + countNodes(child), 1);
}

/** The children of a node, in the order of the source. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return expr.fields.map((field) => field.value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

/** Calls `visit` for the expression and every node below it, parents first, in the order of the source. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  for (const child of childrenOf(expr)) visitExpr(child, visit);
}

/** The balanced tree of a chain of equal operators. Its depth is the logarithm of the length of the chain. */
export function balance(
  name: string,
  terms: readonly Expr[],
  positions: readonly number[],
  low: number,
  high: number,
): Expr {
  const middle = (low + high + 1) >> 1;
  const left = middle === low ? terms[middle] : balance(name, terms, positions, low, middle - 1);
  const right = middle === high ? terms[middle + 1] : balance(name, terms, positions, middle + 1, high);
  if (left === undefined || right === undefined) throw new BugError('a chain has one term more than operators');
  return callAt(positions[middle] ?? 0, name, left, right);
}
