/**
 * Makers of nodes, for the parser and for macros. Invariant: every call makes a node of its own; an expression that a macro needs twice goes through `copyExpr`, because
 * nodes are keys.
 */
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

/** A comprehension; by default over one variable, with the accumulator that macros use. */
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

/** The same tree of new nodes. */
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
