/**
 * Calls of functions of libraries. Invariant: an overload sees only values of the types that it declares; costs are counted after the call, whether it gave a value or not.
 */
import type { Overload } from '../library.ts';
import type { CelType } from '../types.ts';
import { BOOL, BYTES, DYN, INT, STRING } from '../types.ts';
import { CelError, type Value } from '../values.ts';
import { errorOf, type Frame, type Result, type Step } from './frame.ts';
import { isOfType } from './type-of-value.ts';

type Accepts = (value: Value) => boolean;

/** Whether a value fits a parameter; undefined where every value does. */
function accepting(type: CelType): Accepts | undefined {
  switch (type) {
    case DYN:
      return undefined;
    case STRING:
      return (value) => typeof value === 'string';
    case INT:
      return (value) => typeof value === 'number' || typeof value === 'bigint';
    case BOOL:
      return (value) => typeof value === 'boolean';
    case BYTES:
      return (value) => value instanceof Uint8Array;
  }
  return type.kind === 'param' ? undefined : (value) => isOfType(value, type);
}

interface Target {
  readonly accepts: readonly (Accepts | undefined)[];
  readonly evaluate: NonNullable<Overload['evaluate']>;
  readonly cost: NonNullable<Overload['runtimeCost']> | undefined;
}

export interface CallToPlan {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly args: readonly Step[];
  /** cel-go charges by the overload and knows it only if it is the only one possible; else a call of a standard function costs 1. */
  readonly flat: boolean;
}

export function callStep(call: CallToPlan): Step {
  const targets = call.overloads.map((overload): Target => {
    const { evaluate } = overload;
    if (evaluate === undefined) throw new CelError(`no such overload: ${call.name}`);
    return {
      accepts: overload.params.map(accepting),
      evaluate: evaluate.bind(overload),
      cost: call.flat ? undefined : overload.runtimeCost?.bind(overload),
    };
  });
  const unknown = new CelError(`no such overload: ${call.name}`);
  const [first, second] = call.args;
  const [target] = targets;
  if (targets.length === 1 && target !== undefined) {
    if (call.args.length === 1 && first !== undefined) return unaryStep(target, first, unknown);
    if (call.args.length === 2 && first !== undefined && second !== undefined)
      return binaryStep(target, first, second, unknown);
  }
  return manyStep(targets, call.args, unknown);
}

function charge(frame: Frame, target: Target, args: readonly Value[], result: Result): void {
  if (target.cost === undefined) frame.cost++;
  else {
    frame.cost += target.cost(args, result instanceof CelError ? null : result);
    frame.checkLimit();
  }
}

function unaryStep(target: Target, arg: Step, unknown: CelError): Step {
  const { evaluate } = target;
  const accepts = target.accepts[0];
  return (frame) => {
    const value = arg(frame);
    if (value instanceof CelError) {
      frame.cost++;
      return value;
    }
    let result: Result;
    if (accepts !== undefined && !accepts(value)) result = unknown;
    else {
      try {
        result = evaluate(value);
      } catch (thrown) {
        result = errorOf(thrown);
      }
    }
    if (target.cost === undefined || result === unknown) frame.cost++;
    else charge(frame, target, [value], result);
    return result;
  };
}

function binaryStep(target: Target, left: Step, right: Step, unknown: CelError): Step {
  const { evaluate } = target;
  const [acceptsLeft, acceptsRight] = target.accepts;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (a instanceof CelError || b instanceof CelError) {
      frame.cost++;
      return a instanceof CelError ? a : b;
    }
    let result: Result;
    if ((acceptsLeft !== undefined && !acceptsLeft(a)) || (acceptsRight !== undefined && !acceptsRight(b)))
      result = unknown;
    else {
      try {
        result = evaluate(a, b);
      } catch (thrown) {
        result = errorOf(thrown);
      }
    }
    if (target.cost === undefined || result === unknown) frame.cost++;
    else charge(frame, target, [a, b], result);
    return result;
  };
}

/** Any number of arguments, any number of overloads. From three arguments on the first error ends it, without cost, as in cel-go. */
function manyStep(targets: readonly Target[], args: readonly Step[], unknown: CelError): Step {
  return (frame) => {
    const values: Value[] = [];
    let error: CelError | undefined;
    for (const arg of args) {
      const value = arg(frame);
      if (!(value instanceof CelError)) values.push(value);
      else if (args.length > 2) return value;
      else error ??= value;
    }
    if (error !== undefined) {
      frame.cost++;
      return error;
    }
    const target = targets.find((each) => fits(each, values));
    if (target === undefined) {
      frame.cost++;
      return unknown;
    }
    let result: Result;
    try {
      result = target.evaluate(...values);
    } catch (thrown) {
      result = errorOf(thrown);
    }
    charge(frame, target, values, result);
    return result;
  };
}

function fits(target: Target, values: readonly Value[]): boolean {
  return target.accepts.every((accepts, index) => accepts === undefined || accepts(values[index] as Value));
}
