/** The operators and functions that the evaluator implements itself, without a call of a library. */
import type { Overload } from '../library.ts';
import type { CelInt } from '../values.ts';
import { CelDouble, CelError, CelList, CelOptional, type Value } from '../values.ts';
import { resolveStep, withQualifier } from './attributes.ts';
import { constantPlan, type Plan, stepPlan, toAttribute, toStep } from './expr-plan.ts';
import type { Step } from './frame.ts';
import { addInts, divideInts, moduloInts, multiplyInts, subtractInts } from './integers.ts';
import { hashKey } from './native-values.ts';
import {
  andStep,
  equalConstantStep,
  equalStep,
  intStep,
  notStep,
  notStrictlyFalseStep,
  orStep,
  type Relation,
  relationConstantStep,
  relationStep,
} from './operators.ts';
import { cachedPattern } from './patterns.ts';

export interface OperatorToPlan {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly args: readonly Plan[];
  /** True if the first argument may be an optional. */
  readonly mayBeOptional: boolean;
}

const INT_OPERATORS: ReadonlyMap<string, (a: CelInt, b: CelInt) => CelInt> = new Map([
  ['add_int64', addInts],
  ['subtract_int64', subtractInts],
  ['multiply_int64', multiplyInts],
  ['divide_int64', divideInts],
  ['modulo_int64', moduloInts],
]);

const RELATIONS: ReadonlySet<string> = new Set<Relation>(['_<_', '_<=_', '_>_', '_>=_']);

/** The functions whose second argument is a pattern. */
export const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/**
 * Plans an operator; undefined if the call is a call of a library function. Throws CelError for a constant pattern that
 * does not compile.
 */
export function planOperator(operator: OperatorToPlan): Plan | undefined {
  const { name, args } = operator;
  const id = operator.overloads.length === 1 ? operator.overloads[0]?.id : undefined;
  const [first, second, third] = args;
  if (first === undefined) return undefined;
  if (second === undefined) return planUnary(name, first);
  if (PATTERN_FUNCTIONS.has(name) && second.kind === 'constant' && typeof second.value === 'string')
    checkPattern(second.value);
  if (third !== undefined) return name === '_?_:_' ? planConditional(first, second, third) : undefined;
  const intOperator = id === undefined ? undefined : INT_OPERATORS.get(id);
  if (intOperator !== undefined) return stepPlan(intStep(intOperator, toStep(first), toStep(second)));
  switch (name) {
    case '_&&_':
      return stepPlan(andStep(toStep(first), toStep(second)));
    case '_||_':
      return stepPlan(orStep(toStep(first), toStep(second)));
    case '_==_':
    case '_!=_':
      return stepPlan(
        second.kind === 'constant'
          ? equalConstantStep(toStep(first), second.value, name === '_!=_')
          : equalStep(toStep(first), toStep(second), name === '_!=_'),
      );
    case '_[_]':
      return planIndex(operator, first, second, false);
    case '_[?_]':
    case '_?._':
      return planIndex(operator, first, second, true);
    case '@in':
      return id === 'in_list' && second.kind === 'constant' ? planMembership(first, second.value) : undefined;
    case 'or':
      return id === 'optional_or_optional' ? stepPlan(orOptionalStep(toStep(first), toStep(second), false)) : undefined;
    case 'orValue':
      return id === 'optional_orValue_value'
        ? stepPlan(orOptionalStep(toStep(first), toStep(second), true))
        : undefined;
  }
  if (!RELATIONS.has(name)) return undefined;
  const bySize = id?.endsWith('_string') === true || id?.endsWith('_bytes') === true;
  if (second.kind === 'constant' && typeof second.value === 'number')
    return stepPlan(relationConstantStep(name as Relation, toStep(first), second.value));
  return stepPlan(relationStep(name as Relation, toStep(first), toStep(second), bySize));
}

function planUnary(name: string, operand: Plan): Plan | undefined {
  switch (name) {
    case '!_':
      return stepPlan(notStep(toStep(operand)));
    case '@not_strictly_false':
      return stepPlan(notStrictlyFalseStep(toStep(operand)));
  }
  return undefined;
}

function planConditional(condition: Plan, truthy: Plan, falsy: Plan): Plan {
  return {
    kind: 'attribute',
    attribute: {
      kind: 'conditional',
      condition: toStep(condition),
      truthy: toAttribute(truthy, true),
      falsy: toAttribute(falsy, true),
    },
    test: false,
  };
}

function planIndex(operator: OperatorToPlan, holder: Plan, index: Plan, optional: boolean): Plan {
  const attribute = toAttribute(holder, operator.mayBeOptional);
  const key =
    index.kind === 'constant' ? index.value : index.kind === 'attribute' ? resolveStep(index.attribute) : index.step;
  return { kind: 'attribute', attribute: withQualifier(attribute, { key, optional, test: false }), test: false };
}

/** Throws CelError if a constant pattern does not compile. */
function checkPattern(pattern: string): void {
  const compiled = cachedPattern(pattern);
  if (!compiled.ok) throw new CelError(compiled.message);
}

/**
 * `x in [constants]`: like in cel-go, a lookup without cost. Undefined if the list contains values that cannot be
 * looked up.
 */
function planMembership(element: Plan, list: Value): Plan | undefined {
  if (!(list instanceof CelList)) return undefined;
  if (list.size === 0) return constantPlan(false);
  const members = new Set<unknown>();
  for (let index = 0; index < list.size; index++) {
    const member = memberKey(list.at(index));
    if (member === undefined) return undefined;
    members.add(member);
  }
  const step = toStep(element);
  return stepPlan((frame) => {
    const value = step(frame);
    if (value instanceof CelError) return value;
    const key = memberKey(value);
    return key !== undefined && members.has(key);
  });
}

function memberKey(value: Value): unknown {
  if (value instanceof CelDouble && !Number.isInteger(value.value))
    return Number.isNaN(value.value) ? undefined : value.value;
  return hashKey(value);
}

/** `or` and, with `unwrap`, `orValue`. The second argument is evaluated only if the first has no value. */
function orOptionalStep(left: Step, right: Step, unwrap: boolean): Step {
  return (frame) => {
    const value = left(frame);
    if (!(value instanceof CelOptional)) return value;
    if (value.value === undefined) return right(frame);
    return unwrap ? value.value : value;
  };
}
