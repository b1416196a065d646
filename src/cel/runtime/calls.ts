/**
 * The closures of calls of library functions. Costs are counted after a call, whether it succeeded or not.
 *
 * Invariant: an overload is called only with values of its declared types.
 */
import type { Overload } from '../library.ts';
import type { CelType } from '../types.ts';
import { BOOL, BYTES, DYN, INT, STRING } from '../types.ts';
import { CelError, type Value } from '../values.ts';
import { takeSteps } from './allowance.ts';
import { errorOf, type Frame, NO_SUCH_OVERLOAD, type Result, type Step } from './frame.ts';
import { LONG_TEXT } from './sizes.ts';
import { isOfType, runtimeTypeName, typeOfValue } from './type-of-value.ts';

type Accepts = (value: Value) => boolean;

/** The check whether a value fits a parameter; undefined if every value does. */
function parameterCheck(type: CelType): Accepts | undefined {
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
  /**
   * If true, the first argument that is an error ends the call without cost. Always so for calls with three or more
   * arguments.
   */
  readonly endsEarly: boolean;
}

/**
 * The functions of the standard library whose costs depend on the sizes of their arguments. An argument that is an
 * error has size 1.
 */
const CHARGED_BY_SIZE: ReadonlySet<string> = new Set([
  '_+_',
  '@in',
  'bytes',
  'contains',
  'endsWith',
  'matches',
  'startsWith',
  'string',
]);

export function callStep(call: CallToPlan): Step {
  const { name, overloads, args } = call;
  const isStandard = CHARGED_BY_SIZE.has(name);
  // cel-go counts costs by overload, and knows the overload only if there is a single one.
  const isFlat = isStandard && overloads.length > 1;
  const targets = overloads.map((overload): Target => {
    const { evaluate } = overload;
    if (evaluate === undefined) throw new CelError(`no such overload: ${name}`);
    return {
      accepts: overload.params.map(parameterCheck),
      evaluate: evaluate.bind(overload),
      cost: isFlat ? undefined : overload.runtimeCost?.bind(overload),
    };
  });
  const chargeFailed = chargeOfFailed(isStandard || targets.length === 1 ? targets[0]?.cost : undefined);
  const unknown = unknownOverload(name, overloads);
  const [first, second] = args;
  const [target] = targets;
  if (targets.length === 1 && target !== undefined && !call.endsEarly) {
    if (args.length === 1 && first !== undefined) return unaryStep({ target, unknown, chargeFailed }, first);
    if (args.length === 2 && first !== undefined && second !== undefined)
      return binaryStep({ target, unknown, chargeFailed }, first, second);
  }
  return manyStep(targets, args, { unknown, chargeFailed, endsEarly: call.endsEarly || args.length > 2 });
}

/** Counts the cost of a call whose arguments are errors or do not match. */
type ChargeFailed = (frame: Frame, args: readonly Result[]) => void;

function chargeOfFailed(cost: Target['cost']): ChargeFailed {
  return (frame, args) => {
    frame.cost += cost === undefined ? 1 : cost(args.map(valueOrNull), null);
  };
}

function valueOrNull(result: Result): Value {
  return result instanceof CelError ? null : result;
}

interface Single {
  readonly target: Target;
  readonly unknown: Unknown;
  readonly chargeFailed: ChargeFailed;
}

function charge(frame: Frame, target: Target, args: readonly Value[], result: Result): void {
  if (target.cost === undefined) frame.cost++;
  else {
    frame.cost += target.cost(args, valueOrNull(result));
    frame.checkLimit();
  }
}

/** Takes steps for a long text. A call reads its texts even if its cost is 1. */
function takeTextSteps(arg: Value): void {
  if (typeof arg === 'string' && arg.length > LONG_TEXT) takeSteps(arg.length);
}

function unaryStep({ target, unknown, chargeFailed }: Single, arg: Step): Step {
  const { evaluate } = target;
  const accepts = target.accepts[0];
  return (frame) => {
    const value = arg(frame);
    if (value instanceof CelError) {
      chargeFailed(frame, [value]);
      return value;
    }
    if (accepts !== undefined && !accepts(value)) {
      chargeFailed(frame, [value]);
      return unknown([value]);
    }
    let result: Result;
    try {
      takeTextSteps(value);
      result = evaluate(value);
    } catch (thrown) {
      result = errorOf(thrown);
    }
    if (target.cost === undefined) frame.cost++;
    else charge(frame, target, [value], result);
    return result;
  };
}

function binaryStep({ target, unknown, chargeFailed }: Single, left: Step, right: Step): Step {
  const { evaluate } = target;
  const [acceptsLeft, acceptsRight] = target.accepts;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (a instanceof CelError || b instanceof CelError) {
      chargeFailed(frame, [a, b]);
      return a instanceof CelError ? a : b;
    }
    if ((acceptsLeft !== undefined && !acceptsLeft(a)) || (acceptsRight !== undefined && !acceptsRight(b))) {
      chargeFailed(frame, [a, b]);
      return unknown([a, b]);
    }
    let result: Result;
    try {
      takeTextSteps(a);
      result = evaluate(a, b);
    } catch (thrown) {
      result = errorOf(thrown);
    }
    if (target.cost === undefined) frame.cost++;
    else charge(frame, target, [a, b], result);
    return result;
  };
}

interface Many {
  readonly unknown: Unknown;
  readonly chargeFailed: ChargeFailed;
  readonly endsEarly: boolean;
}

/** The general case: any number of arguments and overloads. */
function manyStep(targets: readonly Target[], args: readonly Step[], many: Many): Step {
  return (frame) => {
    const results: Result[] = [];
    for (const arg of args) {
      const result = arg(frame);
      if (many.endsEarly && result instanceof CelError) return result;
      results.push(result);
    }
    const error = results.find((result) => result instanceof CelError);
    if (error !== undefined) {
      many.chargeFailed(frame, results);
      return error;
    }
    const values = results as Value[];
    const target = targets.find((each) => fits(each, values));
    if (target === undefined) {
      many.chargeFailed(frame, values);
      return many.unknown(values);
    }
    let result: Result;
    try {
      values.forEach(takeTextSteps);
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

type Unknown = (values: readonly Value[]) => CelError;

/** The functions whose message about arguments does not name them. */
const PLAIN: ReadonlySet<string> = new Set(['contains', 'endsWith', 'startsWith']);

/**
 * The error of a call without a matching overload. cel-go has three forms of the message, which depend on the function
 * and on the first argument.
 */
function unknownOverload(name: string, overloads: readonly Overload[]): Unknown {
  if (PLAIN.has(name)) return () => NO_SUCH_OVERLOAD;
  if (name === 'size' || name === 'matches' || name.startsWith('_') || name.startsWith('-') || name.startsWith('@')) {
    const named = new CelError(`no such overload: ${name}`);
    return ([first]) =>
      first !== undefined && overloads.some(({ params: [type] }) => type !== undefined && isOfType(first, type))
        ? NO_SUCH_OVERLOAD
        : named;
  }
  return (values) => {
    const types = values.map((value) => runtimeTypeName(typeOfValue(value)));
    return new CelError(`no such overload: ${name}(${types.join(', ')})`);
  };
}
