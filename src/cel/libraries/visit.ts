/** Walks over trees of expressions. */
import type { Expr } from '../ast.ts';

/** Calls `visit` for the expression and everything in it, outer ones first, in the order of the source. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  for (const child of childrenOf(expr)) visitExpr(child, visit);
}

function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
