/**
 * The standard macros: has, all, exists, exists_one, map, filter. They expand to the same trees as in cel-go, node by
 * node, because costs are counted on the expansion.
 */
import { ACCUMULATOR, type Expr, type IdentExpr } from '../ast.ts';
import type { Macro, MacroContext } from '../library.ts';
import { accumulatorAt, callAt, comprehensionAt, listAt, literalAt } from './nodes.ts';

/** The former name of cel-go's accumulator. Sources still must not use it as a variable. */
const FORMER_ACCUMULATOR = '__result__';

/** Reports a variable that has the name of the accumulator. Returns true if the name is allowed. */
export function isAllowedVariable(context: MacroContext, { name, at }: IdentExpr): boolean {
  if (name !== ACCUMULATOR && name !== FORMER_ACCUMULATOR) return true;
  context.issue({ message: 'iteration variable overwrites accumulator variable', at });
  return false;
}

/** The variable of a macro; undefined after reporting an issue. `message` is for an argument that is not a name. */
function macroVariable(context: MacroContext, arg: Expr, message: string): string | undefined {
  if (arg.kind !== 'ident') {
    context.issue({ message, at: arg.at });
    return undefined;
  }
  return isAllowedVariable(context, arg) ? arg.name : undefined;
}

/** The parts of a comprehension that a macro determines. */
export interface Fold {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

function quantifier(name: string, fold: (at: number, predicate: Expr) => Fold): Macro {
  return {
    name,
    member: true,
    args: 2,
    expand(context, target, args) {
      const [name, predicate] = args;
      if (target === undefined || name === undefined || predicate === undefined) return undefined;
      const variable = macroVariable(context, name, 'argument must be a simple name');
      if (variable === undefined) return undefined;
      return comprehensionAt(context.at, { range: target, variable, ...fold(context.at, predicate) });
    },
  };
}

export function foldAll(at: number, predicate: Expr): Fold {
  return {
    init: literalAt(at, { type: 'bool', value: true }),
    condition: callAt(at, '@not_strictly_false', accumulatorAt(at)),
    step: callAt(at, '_&&_', accumulatorAt(at), predicate),
    result: accumulatorAt(at),
  };
}

export function foldExists(at: number, predicate: Expr): Fold {
  return {
    init: literalAt(at, { type: 'bool', value: false }),
    condition: callAt(at, '@not_strictly_false', callAt(at, '!_', accumulatorAt(at))),
    step: callAt(at, '_||_', accumulatorAt(at), predicate),
    result: accumulatorAt(at),
  };
}

export function foldExistsOne(at: number, predicate: Expr): Fold {
  const one = (): Expr => literalAt(at, { type: 'int', value: 1n });
  return {
    init: literalAt(at, { type: 'int', value: 0n }),
    condition: literalAt(at, { type: 'bool', value: true }),
    step: callAt(at, '_?_:_', predicate, callAt(at, '_+_', accumulatorAt(at), one()), accumulatorAt(at)),
    result: callAt(at, '_==_', accumulatorAt(at), one()),
  };
}

/** Collects `item` for each item of `range` that satisfies `predicate`; for all items if there is no predicate. */
function collect(at: number, range: Expr, variable: string, item: Expr, predicate: Expr | undefined): Expr {
  const append = callAt(at, '_+_', accumulatorAt(at), listAt(at, item));
  return comprehensionAt(at, {
    range,
    variable,
    init: listAt(at),
    condition: literalAt(at, { type: 'bool', value: true }),
    step: predicate === undefined ? append : callAt(at, '_?_:_', predicate, append, accumulatorAt(at)),
    result: accumulatorAt(at),
  });
}

function mapMacro(args: 2 | 3): Macro {
  return {
    name: 'map',
    member: true,
    args,
    expand(context, target, [name, second, third]) {
      if (target === undefined || name === undefined || second === undefined) return undefined;
      const variable = macroVariable(context, name, 'argument is not an identifier');
      if (variable === undefined) return undefined;
      return third === undefined
        ? collect(context.at, target, variable, second, undefined)
        : collect(context.at, target, variable, third, second);
    },
  };
}

const filterMacro: Macro = {
  name: 'filter',
  member: true,
  args: 2,
  expand(context, target, [name, predicate]) {
    if (target === undefined || name === undefined || predicate === undefined) return undefined;
    const variable = macroVariable(context, name, 'argument is not an identifier');
    return variable === undefined ? undefined : collect(context.at, target, variable, name, predicate);
  },
};

const hasMacro: Macro = {
  name: 'has',
  member: false,
  args: 1,
  expand(context, _target, [arg]) {
    if (arg?.kind === 'select') {
      return { kind: 'select', at: context.at, operand: arg.operand, field: arg.field, test: true };
    }
    context.issue({ message: 'invalid argument to has() macro', at: arg?.at ?? context.at });
    return undefined;
  },
};

/** The macros of every environment. */
export const STANDARD_MACROS: readonly Macro[] = [
  hasMacro,
  quantifier('all', foldAll),
  quantifier('exists', foldExists),
  quantifier('exists_one', foldExistsOne),
  mapMacro(2),
  mapMacro(3),
  filterMacro,
];
