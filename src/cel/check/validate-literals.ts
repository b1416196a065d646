/**
 * The checks of literals beyond types: literal arguments of `duration`, `timestamp` and `matches`, and lists or maps of
 * mixed types. Kubernetes' environments have these validators since 1.29. They run on expressions that passed the type
 * checker.
 */
import { compileRe2 } from '../../base/re2/re2.ts';
import type { CallExpr, CelIssue, Expr, ListExpr, LiteralExpr, MapExpr } from '../ast.ts';
import type { CheckedExpression } from '../environment.ts';
import { childrenOf, visitExpr } from '../parse/nodes.ts';
import { type CelType, ERROR, isOptional } from '../types.ts';
import { CelError, type Value } from '../values.ts';
import { formatType } from './format-type.ts';
import { equalTypes } from './type-relations.ts';

/** Reports literal arguments with which a call always fails. */
export function checkArguments(checked: CheckedExpression, issue: (issue: CelIssue) => void): void {
  visitExpr(checked.expr, (expr) => {
    if (expr.kind === 'call') checkArgument(checked, expr, issue);
  });
}

/** Reports list and map literals of mixed types, except inside the arguments of the functions `allowedIn`. */
export function checkHomogeneous(
  checked: CheckedExpression,
  allowedIn: ReadonlySet<string>,
  issue: (issue: CelIssue) => void,
): void {
  const visit = (expr: Expr): void => {
    if (expr.kind === 'call' && allowedIn.has(expr.name)) return;
    if (expr.kind === 'list') checkList(checked, expr, issue);
    if (expr.kind === 'map') checkMap(checked, expr, issue);
    childrenOf(expr).forEach(visit);
  };
  visit(checked.expr);
}

/**
 * Checks the first argument of `duration`, `timestamp` and `matches`. Like cel-go, it does so even for `matches` called
 * as a function, whose pattern is the second argument.
 */
function checkArgument(checked: CheckedExpression, call: CallExpr, issue: (issue: CelIssue) => void): void {
  const arg = call.args[0];
  if (arg?.kind !== 'literal') return;
  const { name } = call;
  const good =
    name === 'matches'
      ? arg.literal.type !== 'string' || compileRe2(arg.literal.value).ok
      : (name !== 'duration' && name !== 'timestamp') || succeeds(checked, call, arg);
  if (!good) issue({ message: `invalid ${name} argument`, at: arg.at });
}

function literalValue({ literal }: LiteralExpr): Value | undefined {
  if (literal.type === 'string') return literal.value;
  if (literal.type !== 'int') return undefined;
  return Number.isSafeInteger(Number(literal.value)) ? Number(literal.value) : literal.value;
}

function succeeds(checked: CheckedExpression, call: CallExpr, arg: LiteralExpr): boolean {
  // The checker accepts null as a duration and a timestamp, but the conversion fails.
  if (arg.literal.type === 'null') return false;
  const reference = checked.references.get(call);
  const overload = reference?.kind === 'overloads' ? reference.overloads[0] : undefined;
  const value = literalValue(arg);
  if (overload?.evaluate === undefined || value === undefined) return true;
  try {
    return !(overload.evaluate(value) instanceof CelError);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function typeOf(checked: CheckedExpression, expr: Expr, optional: boolean): CelType {
  const type = checked.types.get(expr) ?? ERROR;
  return optional && isOptional(type) ? (type.params[0] ?? type) : type;
}

function mismatch(expr: Expr, expected: CelType, actual: CelType): CelIssue {
  return { message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'`, at: expr.at };
}

function checkList(checked: CheckedExpression, list: ListExpr, issue: (issue: CelIssue) => void): void {
  let expected: CelType | undefined;
  for (const [index, element] of list.elements.entries()) {
    const type = typeOf(checked, element, list.optional.includes(index));
    expected ??= type;
    if (!equalTypes(expected, type)) {
      issue(mismatch(element, expected, type));
      return;
    }
  }
}

function checkMap(checked: CheckedExpression, map: MapExpr, issue: (issue: CelIssue) => void): void {
  let keys: CelType | undefined;
  let values: CelType | undefined;
  for (const entry of map.entries) {
    const key = typeOf(checked, entry.key, false);
    const value = typeOf(checked, entry.value, entry.optional);
    keys ??= key;
    values ??= value;
    if (!equalTypes(keys, key)) issue(mismatch(entry.key, keys, key));
    if (!equalTypes(values, value)) issue(mismatch(entry.value, values, value));
  }
}
