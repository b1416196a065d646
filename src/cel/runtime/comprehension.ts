/**
 * Loops. Invariant: variables live in slots of the frame, one per comprehension of the source, so a loop in a loop does not disturb the outer one.
 */
import { CelError, CelList, CelMap, CelObject, type Value } from '../values.ts';
import { type Plan, toStep } from './expr-plan.ts';
import type { Frame, Result, Step } from './frame.ts';
import { GrowingList, GrowingMap, mapOfObject } from './native-values.ts';
import { runtimeTypeName, typeOfValue } from './type-of-value.ts';

export interface Fold {
  readonly range: Step;
  /** Slots. `second` is undefined where there is one variable. */
  readonly first: number;
  readonly second: number | undefined;
  readonly accumulator: number;
  /** Evaluated when the accumulator is first read; a constant is there at once. */
  readonly init: Plan;
  readonly condition: Plan;
  readonly step: Step;
  readonly result: Step;
}

export function foldStep(fold: Fold): Step {
  const { range, accumulator, init, result } = fold;
  const iterate = fold.second === undefined ? iterateOne(fold, fold.first) : iterateTwo(fold, fold.first, fold.second);
  return (frame) => {
    const over = rangeOf(range(frame));
    if (over instanceof CelError) return over;
    frame.locals[accumulator] = init.kind === 'constant' ? fresh(init.value) : undefined;
    const fault = iterate(frame, over);
    if (fault !== undefined) return fault;
    const value = result(frame);
    if (value instanceof GrowingList) return value.finish();
    return value;
  };
}

/** What is empty at first is collected into without copying. */
function fresh(init: Value): Value {
  if (init instanceof CelList && init.size === 0) return new GrowingList();
  if (init instanceof CelMap && init.size === 0) return new GrowingMap();
  return init;
}

/** Returns an error where there is nothing to go through. */
type Iterate = (frame: Frame, over: Value) => CelError | undefined;

/** One turn; false where the loop is to end. */
function turnOf(fold: Fold): (frame: Frame) => boolean {
  const { condition, step, accumulator } = fold;
  const always = condition.kind === 'constant' && condition.value !== false;
  const goOn: Step | undefined = always ? undefined : toStep(condition);
  return (frame) => {
    frame.iterate();
    if (goOn !== undefined && goOn(frame) === false) return false;
    frame.locals[accumulator] = step(frame);
    return true;
  };
}

function iterateOne(fold: Fold, slot: number): Iterate {
  const turn = turnOf(fold);
  return (frame, over) => {
    if (over instanceof CelList) {
      const size = over.size;
      for (let index = 0; index < size; index++) {
        frame.locals[slot] = over.at(index);
        if (!turn(frame)) return undefined;
      }
      return undefined;
    }
    if (!(over instanceof CelMap)) return notIterable(over);
    for (const key of over.keys()) {
      frame.locals[slot] = key;
      if (!turn(frame)) return undefined;
    }
    return undefined;
  };
}

function iterateTwo(fold: Fold, first: number, second: number): Iterate {
  const turn = turnOf(fold);
  return (frame, over) => {
    if (over instanceof CelList) {
      const size = over.size;
      for (let index = 0; index < size; index++) {
        frame.locals[first] = index;
        frame.locals[second] = over.at(index);
        if (!turn(frame)) return undefined;
      }
      return undefined;
    }
    if (!(over instanceof CelMap)) return notIterable(over);
    for (const key of over.keys()) {
      frame.locals[first] = key;
      frame.locals[second] = over.get(key);
      if (!turn(frame)) return undefined;
    }
    return undefined;
  };
}

/** An object is gone through like the map that it is. */
export function rangeOf(over: Result): Result {
  return over instanceof CelObject ? mapOfObject(over) : over;
}

/** The error of a loop over what has no items. */
export function notIterable(over: Value): CelError {
  const name = runtimeTypeName(typeOfValue(over)).replace(/^google\.protobuf\.|_type$/, '');
  return new CelError(`got 'types.${name[0]?.toUpperCase()}${name.slice(1)}', expected iterable type`);
}
