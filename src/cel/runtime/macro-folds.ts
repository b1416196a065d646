/**
 * The comprehensions of the macros `all`, `exists`, `map` and `filter`, each compiled to one closure.
 *
 * Invariant: values, errors and costs are the same as those of the general comprehension over the same tree.
 */
import type { CallExpr, ComprehensionExpr, Expr } from '../ast.ts';
import { LIST_COST } from '../cost/cost-range.ts';
import { CelError, CelList, CelMap, type Value } from '../values.ts';
import { notIterable, rangeOf } from './comprehension.ts';
import { type Frame, NO_SUCH_OVERLOAD, type Result, type Step } from './frame.ts';
import { NativeList } from './native-values.ts';

export interface Quantifier {
  readonly kind: 'quantifier';
  /** True for `all`. */
  readonly all: boolean;
  readonly predicate: Expr;
}

export interface Collector {
  readonly kind: 'collector';
  readonly filter: Expr | undefined;
  readonly item: Expr;
}

/** Recognizes the expansion of one of these macros; undefined for other comprehensions. */
export function recognizeFold(expr: ComprehensionExpr): Quantifier | Collector | undefined {
  if (expr.variable2 !== '' || expr.variable === expr.accumulator || !isAccumulator(expr.result, expr))
    return undefined;
  return recognizeQuantifier(expr) ?? recognizeCollector(expr);
}

function isAccumulator(node: Expr | undefined, { accumulator }: ComprehensionExpr): boolean {
  return node?.kind === 'ident' && node.name === accumulator;
}

function callOf(node: Expr | undefined, name: string): CallExpr | undefined {
  return node?.kind === 'call' && node.name === name ? node : undefined;
}

function recognizeQuantifier(expr: ComprehensionExpr): Quantifier | undefined {
  const { init, condition, step } = expr;
  if (init.kind !== 'literal' || init.literal.type !== 'bool') return undefined;
  const all = init.literal.value;
  const asked = callOf(condition, '@not_strictly_false')?.args[0];
  const [accumulated, predicate] = callOf(step, all ? '_&&_' : '_||_')?.args ?? [];
  const goesOn = isAccumulator(all ? asked : callOf(asked, '!_')?.args[0], expr);
  if (!goesOn || !isAccumulator(accumulated, expr) || predicate === undefined) return undefined;
  return { kind: 'quantifier', all, predicate };
}

function recognizeCollector(expr: ComprehensionExpr): Collector | undefined {
  const { init, condition, step } = expr;
  if (init.kind !== 'list' || init.elements.length > 0) return undefined;
  if (condition.kind !== 'literal' || condition.literal.type !== 'bool' || !condition.literal.value) return undefined;
  const [filter, filtered, otherwise] = callOf(step, '_?_:_')?.args ?? [];
  if (filter !== undefined && !isAccumulator(otherwise, expr)) return undefined;
  const [accumulated, list] = callOf(filter === undefined ? step : filtered, '_+_')?.args ?? [];
  if (!isAccumulator(accumulated, expr) || list?.kind !== 'list' || list.optional.length > 0) return undefined;
  const [item, ...more] = list.elements;
  return item === undefined || more.length > 0 ? undefined : { kind: 'collector', filter, item };
}

/** Iterates a range with one variable until `turn` returns false. */
function iterate(frame: Frame, over: Value, slot: number, turn: (frame: Frame) => boolean): CelError | undefined {
  const { locals } = frame;
  if (over instanceof CelList) {
    const size = over.size;
    for (let index = 0; index < size; index++) {
      locals[slot] = over.at(index);
      if (!turn(frame)) return undefined;
    }
    return undefined;
  }
  if (!(over instanceof CelMap)) return notIterable(over);
  for (const key of over.keys()) {
    locals[slot] = key;
    if (!turn(frame)) return undefined;
  }
  return undefined;
}

/**
 * The cost of an iteration besides the predicate: the accumulator is read twice, the condition is a call, and `exists`
 * negates the accumulator.
 */
const ALL_COST = 3;
const EXISTS_COST = 4;

export function quantifierStep(range: Step, slot: number, accumulator: number, predicate: Step, all: boolean): Step {
  const turnCost = all ? ALL_COST : EXISTS_COST;
  const turn = (frame: Frame): boolean => {
    frame.iterate();
    const before = frame.locals[accumulator];
    if (before === !all) {
      frame.cost += turnCost - 1;
      return false;
    }
    frame.cost += turnCost;
    const holds = predicate(frame);
    if (holds === all) return true;
    if (holds === !all) frame.locals[accumulator] = holds;
    else if (!(before instanceof CelError))
      frame.locals[accumulator] = holds instanceof CelError ? holds : NO_SUCH_OVERLOAD;
    return true;
  };
  return (frame) => {
    const over = rangeOf(range(frame));
    if (over instanceof CelError) return over;
    frame.locals[accumulator] = all;
    const fault = iterate(frame, over, slot, turn);
    if (fault !== undefined) return fault;
    frame.cost++;
    return frame.locals[accumulator] as Result;
  };
}

export interface CollectorParts {
  readonly range: Step;
  readonly slot: number;
  readonly filter: Step | undefined;
  readonly item: Step;
  /** True if the item is constant: creating a list of a constant costs nothing. */
  readonly isConstant: boolean;
}

/** The cost of reading the accumulator and of `+`. */
const APPEND_COST = 2;

export function collectorStep({ range, slot, filter, item, isConstant }: CollectorParts): Step {
  const appendCost = isConstant ? APPEND_COST : APPEND_COST + LIST_COST;
  return (frame) => {
    const over = rangeOf(range(frame));
    if (over instanceof CelError) return over;
    const items: Value[] = [];
    let error: CelError | undefined;
    const fault = iterate(frame, over, slot, () => {
      frame.iterate();
      const chosen = filter === undefined ? true : filter(frame);
      if (chosen === false) return true;
      if (chosen !== true) {
        error = chosen instanceof CelError ? chosen : NO_SUCH_OVERLOAD;
        return true;
      }
      const value = item(frame);
      frame.cost += appendCost;
      if (error !== undefined) return true;
      if (value instanceof CelError) error = value;
      else items.push(value);
      return true;
    });
    if (fault !== undefined) return fault;
    frame.cost++;
    return error ?? new NativeList(items);
  };
}
