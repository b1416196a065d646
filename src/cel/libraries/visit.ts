/** Walks over trees of expressions. */
import type { Expr } from '../ast.ts';
import { childrenOf } from '../parse/nodes.ts';

/** Calls `visit` for the expression and everything in it, outer ones first, in the order of the source. */
export function visitExpr(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  for (const child of childrenOf(expr)) visitExpr(child, visit);
}
