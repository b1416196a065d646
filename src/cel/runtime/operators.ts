/**
 * The closures of operators: logic, equality, comparison and the arithmetic of ints. They count the same costs as
 * cel-go. Like in cel-go, both sides of a comparison are evaluated even if the first is an error.
 */
import { CelError, type CelInt, CelOpaque, type Value } from '../values.ts';
import { compareValues, equalValues, hasOrder } from './equality.ts';
import { errorOf, type Frame, NO_SUCH_OVERLOAD, type Result, type Step } from './frame.ts';
import { codePoints, sizeForCost } from './sizes.ts';

export function andStep(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    if (a === false) return false;
    const b = right(frame);
    if (b === false) return false;
    return a === true && b === true ? true : logicError(a, b, true);
  };
}

export function orStep(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    if (a === true) return true;
    const b = right(frame);
    if (b === true) return true;
    return a === false && b === false ? false : logicError(a, b, false);
  };
}

/** The error of the first side that is not a bool. */
function logicError(a: Result, b: Result, neutral: boolean): CelError {
  const wrong = a === neutral ? b : a;
  return wrong instanceof CelError ? wrong : NO_SUCH_OVERLOAD;
}

export function notStep(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.cost++;
    if (typeof value === 'boolean') return !value;
    return value instanceof CelError ? value : NO_SUCH_OVERLOAD;
  };
}

/** The condition of comprehensions: true unless the accumulator is false. */
export function notStrictlyFalseStep(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.cost++;
    return value !== false;
  };
}

export function equalStep(left: Step, right: Step, negated: boolean): Step {
  const general = generalEquality(negated);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a !== 'number' || typeof b !== 'number') return general(frame, a, b);
    frame.cost++;
    return (a === b) !== negated;
  };
}

/** `left == constant` and `left != constant`. */
export function equalConstantStep(left: Step, constant: Value, negated: boolean): Step {
  const general = generalEquality(negated);
  // The cost is 1 if the shorter string has 1 to 10 characters.
  const isShort = typeof constant === 'string' && constant.length > 0 && constant.length <= 10;
  if (!isShort && typeof constant !== 'number' && typeof constant !== 'boolean')
    return (frame) => general(frame, left(frame), constant);
  const type = typeof constant;
  return (frame) => {
    const a = left(frame);
    if (typeof a !== type || a === '') return general(frame, a, constant);
    frame.cost++;
    return (a === constant) !== negated;
  };
}

function generalEquality(negated: boolean): (frame: Frame, a: Result, b: Result) => Result {
  return (frame, a, b) => {
    // kube-apiserver has cost rules for `==` of values of its libraries, but not for `!=`.
    const cost = a instanceof CelOpaque && !negated ? 1 : comparisonCost(a, b);
    frame.cost += cost;
    if (cost > 1) frame.checkLimit();
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    try {
      return equalValues(a, b) !== negated;
    } catch (thrown) {
      return errorOf(thrown);
    }
  };
}

/** The cost of a comparison, which depends on the smaller size. */
export function comparisonCost(a: Result, b: Result): number {
  if (typeof a === 'string' && typeof b === 'string') {
    const shorter = a.length < b.length ? a.length : b.length;
    if (shorter === 0) return 0;
    if (shorter <= 10) return 1;
    return Math.ceil(Math.min(codePoints(a), codePoints(b)) * 0.1);
  }
  return Math.ceil(Math.min(sizeOrOne(a), sizeOrOne(b)) * 0.1);
}

function sizeOrOne(value: Result): number {
  return value instanceof CelError ? 1 : sizeForCost(value);
}

export type Relation = '_<_' | '_<=_' | '_>_' | '_>=_';

const HOLDS: Readonly<Record<Relation, (compared: number) => boolean>> = {
  '_<_': (compared) => compared < 0,
  '_<=_': (compared) => compared <= 0,
  '_>_': (compared) => compared > 0,
  '_>=_': (compared) => compared >= 0,
};

/** `bySize`: the cost depends on the sizes, for strings and bytes with known types. Otherwise it is 1. */
export function relationStep(relation: Relation, left: Step, right: Step, bySize: boolean): Step {
  const slow = slowRelation(relation);
  if (bySize) {
    return (frame) => {
      const a = left(frame);
      const b = right(frame);
      frame.cost += comparisonCost(a, b);
      return slow(a, b);
    };
  }
  // A closure for each relation, so that each compares numbers with the JavaScript operator.
  switch (relation) {
    case '_<_':
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        frame.cost++;
        return typeof a === 'number' && typeof b === 'number' ? a < b : slow(a, b);
      };
    case '_<=_':
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        frame.cost++;
        return typeof a === 'number' && typeof b === 'number' ? a <= b : slow(a, b);
      };
    case '_>_':
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        frame.cost++;
        return typeof a === 'number' && typeof b === 'number' ? a > b : slow(a, b);
      };
    case '_>=_':
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        frame.cost++;
        return typeof a === 'number' && typeof b === 'number' ? a >= b : slow(a, b);
      };
  }
}

/** A relation with a constant number on the right side. */
export function relationConstantStep(relation: Relation, left: Step, constant: number): Step {
  const slow = slowRelation(relation);
  switch (relation) {
    case '_<_':
      return (frame) => {
        const a = left(frame);
        frame.cost++;
        return typeof a === 'number' ? a < constant : slow(a, constant);
      };
    case '_<=_':
      return (frame) => {
        const a = left(frame);
        frame.cost++;
        return typeof a === 'number' ? a <= constant : slow(a, constant);
      };
    case '_>_':
      return (frame) => {
        const a = left(frame);
        frame.cost++;
        return typeof a === 'number' ? a > constant : slow(a, constant);
      };
    case '_>=_':
      return (frame) => {
        const a = left(frame);
        frame.cost++;
        return typeof a === 'number' ? a >= constant : slow(a, constant);
      };
  }
}

type Slow = (a: Result, b: Result) => Result;

function slowRelation(relation: Relation): Slow {
  const holds = HOLDS[relation];
  const unordered = new CelError(`no such overload: ${relation}`);
  return (a, b) => {
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    if (!hasOrder(a)) return unordered;
    try {
      return holds(compareValues(a, b));
    } catch (thrown) {
      return errorOf(thrown);
    }
  };
}

/** An arithmetic operator of two ints. */
export function intStep(compute: (a: CelInt, b: CelInt) => CelInt, left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.cost++;
    if ((typeof a === 'number' || typeof a === 'bigint') && (typeof b === 'number' || typeof b === 'bigint')) {
      try {
        return compute(a, b);
      } catch (thrown) {
        return errorOf(thrown);
      }
    }
    if (a instanceof CelError) return a;
    return b instanceof CelError ? b : NO_SUCH_OVERLOAD;
  };
}
