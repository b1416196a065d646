/**
 * The closures of comprehensions.
 *
 * Invariant: each variable of the source has a slot of its own in the frame, so that nested loops do not overwrite each
 * other's variables.
 */
import { CelError, CelList, CelMap, CelObject, type Value } from '../values.ts';
import { type Plan, toStep } from './expr-plan.ts';
import type { Frame, Result, Step } from './frame.ts';
import { GrowingList, GrowingMap, mapOfObject } from './native-values.ts';
import { runtimeTypeName, typeOfValue } from './type-of-value.ts';

export interface Fold {
  readonly range: Step;
  /** The slots of the variables; `second` is undefined if there is only one. */
  readonly first: number;
  readonly second: number | undefined;
  readonly accumulator: number;
  /**
   * The initial value. A constant is stored before the loop; other values are computed when the accumulator is first
   * read.
   */
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

/** Replaces an empty list or map by one that grows in place, so that collecting does not copy. */
function fresh(init: Value): Value {
  if (init instanceof CelList && init.size === 0) return new GrowingList();
  if (init instanceof CelMap && init.size === 0) return new GrowingMap();
  return init;
}

/** Runs the loop. Returns an error if the range is not iterable. */
type Iterate = (frame: Frame, over: Value) => CelError | undefined;

/** One iteration. Returns false if the loop ends. */
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

/** The range of a loop. An object is iterated like a map. */
export function rangeOf(over: Result): Result {
  return over instanceof CelObject ? mapOfObject(over) : over;
}

/** The error of a loop over a value that is not iterable. */
export function notIterable(over: Value): CelError {
  const name = runtimeTypeName(typeOfValue(over)).replace(/^google\.protobuf\.|_type$/, '');
  return new CelError(`got 'types.${name[0]?.toUpperCase()}${name.slice(1)}', expected iterable type`);
}
