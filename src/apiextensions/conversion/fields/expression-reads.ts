/** The fields that an expression reads, for the check of losses. Tests with `has()` read no value. */
import type { Expr } from '../../../cel/ast.ts';
import type { CheckedExpression } from '../../../cel/environment.ts';
import { isOptional } from '../../../cel/types.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { propertyOf, schemaOfType } from './expression-types.ts';
import { EVERY, type RulePath } from './rule-path.ts';

/** Returns the paths that are read. A path stands for everything inside it. `root` is the schema of `self`. */
export function readsOf(checked: CheckedExpression, root: StructuralSchema): readonly RulePath[] {
  const reads: RulePath[] = [];
  visit(checked.expr, new Map([['self', []]]), { checked, root, reads });
  return reads;
}

interface Search {
  readonly checked: CheckedExpression;
  readonly root: StructuralSchema;
  readonly reads: RulePath[];
}

/** The paths of variables; undefined for a variable that is not part of `self`. */
type Names = ReadonlyMap<string, RulePath | undefined>;

function visit(expr: Expr, names: Names, search: Search): void {
  const path = pathOf(expr, names, search);
  if (path !== undefined) {
    search.reads.push(path);
    return;
  }
  switch (expr.kind) {
    case 'select':
      if (!expr.test) visit(expr.operand, names, search);
      break;
    case 'call':
      if (expr.target !== undefined) visit(expr.target, names, search);
      for (const arg of expr.args) visit(arg, names, search);
      break;
    case 'list':
      for (const element of expr.elements) visit(element, names, search);
      break;
    case 'map':
      for (const { key, value } of expr.entries) {
        visit(key, names, search);
        visit(value, names, search);
      }
      break;
    case 'struct':
      for (const { value } of expr.fields) visit(value, names, search);
      break;
    case 'comprehension': {
      const { range, init, condition, step, result, variable, variable2, accumulator } = expr;
      const over = pathOf(range, names, search);
      if (over === undefined) visit(range, names, search);
      // `optMap` is a comprehension over no items, whose accumulator is a name for the value of the optional.
      const initial = pathOf(init, names, search);
      if (initial === undefined) visit(init, names, search);
      const outer = new Map(names).set(accumulator, initial);
      const items: RulePath | undefined = over === undefined ? undefined : [...over, EVERY];
      const isMap = search.checked.types.get(range)?.kind === 'map';
      const inner = new Map(outer).set(variable, isMap || variable2 !== '' ? over : items);
      if (variable2 !== '') inner.set(variable2, items);
      visit(condition, inner, search);
      visit(step, inner, search);
      visit(result, outer, search);
    }
  }
}

/** Returns the path that an expression selects; undefined if it does not select from `self`. */
function pathOf(expr: Expr, names: Names, search: Search): RulePath | undefined {
  switch (expr.kind) {
    case 'ident':
      return names.get(expr.name);
    case 'select':
      return expr.test ? undefined : fieldOf(expr.operand, expr.field, names, search);
    case 'call': {
      const [first, second] = expr.args;
      if (expr.name === 'value' && expr.target !== undefined) return pathOf(expr.target, names, search);
      if (first === undefined || second === undefined) return undefined;
      const key = second.kind === 'literal' && second.literal.type === 'string' ? second.literal.value : undefined;
      if (expr.name === '_?._' && key !== undefined) return fieldOf(first, key, names, search);
      if (expr.name !== '_[_]' && expr.name !== '_[?_]') return undefined;
      const path = pathOf(first, names, search);
      return path === undefined ? undefined : [...path, EVERY];
    }
    default:
      return undefined;
  }
}

function fieldOf(operand: Expr, field: string, names: Names, search: Search): RulePath | undefined {
  const path = pathOf(operand, names, search);
  if (path === undefined) return undefined;
  const given = search.checked.types.get(operand);
  const type = given !== undefined && isOptional(given) ? given.params[0] : given;
  if (type?.kind !== 'object') return [...path, EVERY];
  const schema = schemaOfType(search.root, type.name);
  return [...path, schema === undefined ? field : (propertyOf(schema.properties, field) ?? field)];
}
