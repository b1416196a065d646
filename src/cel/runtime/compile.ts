/**
 * The compiler from a checked tree to closures. It computes the same parts in advance as cel-go's planner: list and map
 * literals of constants, conversions of constants, and `in` with a constant list. These cost nothing at run time.
 * Nothing else is computed in advance, because costs would differ.
 */
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, Literal, MapExpr, SelectExpr, StructExpr } from '../ast.ts';
import type { CheckedExpression, Reference } from '../environment.ts';
import type { Overload } from '../library.ts';
import { DYN, isOptional } from '../types.ts';
import { CelDouble, CelError, CelUint, type Value } from '../values.ts';
import { type PathAttribute, withQualifier } from './attributes.ts';
import { callStep } from './calls.ts';
import { PATTERN_FUNCTIONS, planOperator } from './compile-operators.ts';
import { foldStep } from './comprehension.ts';
import { listStep, mapStep, objectStep } from './constructors.ts';
import { constantPlan, type Plan, stepPlan, toAttribute, toStep } from './expr-plan.ts';
import { Frame, type Step } from './frame.ts';
import { intOf } from './integers.ts';
import { type Collector, collectorStep, type Quantifier, quantifierStep, recognizeFold } from './macro-folds.ts';

export interface Compiled {
  readonly step: Step;
  /** The number of slots that a frame needs. */
  readonly locals: number;
}

/** Throws CelError if a constant part fails. */
export function compile(checked: CheckedExpression): Compiled {
  const compiler = new Compiler(checked);
  const step = toStep(compiler.plan(checked.expr));
  return { step, locals: compiler.slots };
}

/** The conversions that are computed in advance if their argument is constant. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

interface Local {
  readonly name: string;
  readonly read: Step;
  /** The slot of a loop variable, which may be read directly; undefined for an accumulator. */
  readonly slot?: number;
}

export class Compiler {
  readonly #checked: CheckedExpression;
  /** The variables in scope, the innermost last. */
  readonly #scope: Local[] = [];
  #slots: number = 0;

  constructor(checked: CheckedExpression) {
    this.#checked = checked;
  }

  get slots(): number {
    return this.#slots;
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return constantPlan(literalValue(expr.literal));
      case 'ident':
        return this.#name(expr, this.#checked.references.get(expr), expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  mayBeOptional(expr: Expr): boolean {
    const type = this.#checked.types.get(expr) ?? DYN;
    return type === DYN || type.kind === 'param' || isOptional(type);
  }

  #name(expr: Expr, reference: Reference | undefined, name: string): Plan {
    if (reference?.kind === 'constant') return constantPlan(reference.value);
    const mayBeOptional = this.mayBeOptional(expr);
    const attribute: PathAttribute =
      reference?.kind === 'variable'
        ? {
            kind: 'path',
            root: variableStep(reference.index, reference.name),
            variable: reference.index,
            qualifiers: [],
            mayBeOptional,
          }
        : { kind: 'path', ...this.#local(name), qualifiers: [], mayBeOptional };
    return { kind: 'attribute', attribute, test: false };
  }

  #local(name: string): Pick<PathAttribute, 'root' | 'local'> {
    const found = this.#scope.findLast((each) => each.name === name);
    if (found === undefined) throw new CelError(`no such attribute(s): ${name}`);
    return found.slot === undefined ? { root: found.read } : { root: found.read, local: found.slot };
  }

  #select(expr: SelectExpr): Plan {
    const reference = this.#checked.references.get(expr);
    if (reference !== undefined) return this.#name(expr, reference, '');
    const operand = toAttribute(this.plan(expr.operand), this.mayBeOptional(expr.operand));
    return {
      kind: 'attribute',
      attribute: withQualifier(operand, { key: expr.field, optional: false, test: expr.test }),
      test: expr.test,
    };
  }

  #call(expr: CallExpr): Plan {
    const exprs = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const args = exprs.map((arg) => this.plan(arg));
    const reference = this.#checked.references.get(expr);
    const overloads = reference?.kind === 'overloads' ? reference.overloads : [];
    const operator = planOperator({
      name: expr.name,
      overloads,
      args,
      mayBeOptional: exprs[0] !== undefined && this.mayBeOptional(exprs[0]),
    });
    return operator ?? this.#function(expr.name, overloads, args);
  }

  #function(name: string, overloads: readonly Overload[], args: readonly Plan[]): Plan {
    // cel-go plans these calls in another way, which ends them at the first error.
    const endsEarly = PATTERN_FUNCTIONS.has(name) && args[1]?.kind === 'constant';
    const step = callStep({ name, overloads, args: args.map(toStep), endsEarly });
    const [arg] = args;
    if (args.length !== 1 || arg?.kind !== 'constant' || !CONVERSIONS.has(name)) return stepPlan(step);
    return constantPlan(compute(step));
  }

  #list(expr: ListExpr): Plan {
    const plans = expr.elements.map((element) => this.plan(element));
    const elements = plans.map((plan, index) => ({ value: toStep(plan), optional: expr.optional.includes(index) }));
    const step = listStep(elements);
    return plans.every((plan) => plan.kind === 'constant') ? constantPlan(compute(step)) : stepPlan(step);
  }

  #map(expr: MapExpr): Plan {
    const plans = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const step = mapStep(
      plans.map(({ key, value, optional }) => ({ key: toStep(key), value: toStep(value), optional })),
    );
    const constant = plans.every(({ key, value }) => key.kind === 'constant' && value.kind === 'constant');
    return constant ? constantPlan(compute(step)) : stepPlan(step);
  }

  #struct(expr: StructExpr): Plan {
    const type = this.#checked.types.get(expr);
    if (type?.kind !== 'object') throw new CelError(`unknown type: ${expr.name}`);
    const fields = expr.fields.map((field) => ({
      name: field.name,
      value: toStep(this.plan(field.value)),
      optional: field.optional,
    }));
    return stepPlan(objectStep(type, fields));
  }

  #comprehension(expr: ComprehensionExpr): Plan {
    const known = recognizeFold(expr);
    if (known !== undefined) return stepPlan(this.#macroFold(expr, known));
    const init = this.plan(expr.init);
    const range = toStep(this.plan(expr.range));
    const accumulator = this.#slots++;
    const first = this.#slots++;
    const second = expr.variable2 === '' ? undefined : this.#slots++;
    const depth = this.#scope.length;
    // The accumulator is found before variables of the same name, so it comes last.
    if (second !== undefined) this.#scope.push(loopVariable(expr.variable2, second));
    this.#scope.push(loopVariable(expr.variable, first));
    const accumulated = { name: expr.accumulator, read: accumulatorStep(accumulator, init) };
    this.#scope.push(accumulated);
    const condition = this.plan(expr.condition);
    const step = toStep(this.plan(expr.step));
    this.#scope.length = depth;
    this.#scope.push(accumulated);
    const result = toStep(this.plan(expr.result));
    this.#scope.length = depth;
    return stepPlan(foldStep({ range, first, second, accumulator, init, condition, step, result }));
  }

  #macroFold(expr: ComprehensionExpr, fold: Quantifier | Collector): Step {
    const range = toStep(this.plan(expr.range));
    const accumulator = this.#slots++;
    const slot = this.#slots++;
    this.#scope.push(loopVariable(expr.variable, slot));
    try {
      if (fold.kind === 'quantifier')
        return quantifierStep(range, slot, accumulator, toStep(this.plan(fold.predicate)), fold.all);
      const filter = fold.filter === undefined ? undefined : toStep(this.plan(fold.filter));
      const item = this.plan(fold.item);
      return collectorStep({ range, slot, filter, item: toStep(item), isConstant: item.kind === 'constant' });
    } finally {
      this.#scope.pop();
    }
  }
}

function variableStep(index: number, name: string): Step {
  const unset = new CelError(`no such attribute(s): ${name}`);
  return (frame) => {
    const value = frame.variables[index];
    return value === undefined ? unset : value;
  };
}

function loopVariable(name: string, slot: number): Local {
  return { name, read: slotStep(slot), slot };
}

function slotStep(slot: number): Step {
  return (frame) => frame.locals[slot] as Value;
}

/**
 * Reads an accumulator. Its initial value is computed at the first read: an accumulator that is never read is never
 * computed.
 */
function accumulatorStep(slot: number, init: Plan): Step {
  if (init.kind === 'constant') return slotStep(slot);
  const compute = toStep(init);
  return (frame) => {
    const value = frame.locals[slot];
    if (value !== undefined) return value;
    const computed = compute(frame);
    frame.locals[slot] = computed;
    return computed;
  };
}

/** Computes a step that depends on no variable. */
function compute(step: Step): Value {
  const value = step(new Frame([], 0, undefined));
  if (value instanceof CelError) throw value;
  return value;
}

function literalValue(literal: Literal): Value {
  switch (literal.type) {
    case 'null':
      return null;
    case 'int':
      return intOf(literal.value);
    case 'uint':
      return new CelUint(literal.value);
    case 'double':
      return new CelDouble(literal.value);
    default:
      return literal.value;
  }
}
