/** Freezes JSON values. */

/** Deeper values are visited with an explicit stack, because JSON may be nested deeper than the call stack allows. */
const RECURSION_DEPTH = 200;

/**
 * Freezes a value and everything in it, and returns it. The root is frozen last, so a frozen root means that everything
 * in it is frozen, and a second call costs nothing.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeObject(value, RECURSION_DEPTH);
  return value;
}

function freezeObject(object: object, depth: number): void {
  if (depth === 0) {
    freezeDeep(object);
    return;
  }
  if (Array.isArray(object)) {
    for (let i = 0; i < object.length; i++) freezePart(object[i], depth);
  } else {
    for (const key of Object.keys(object)) freezePart((object as Record<string, unknown>)[key], depth);
  }
  Object.freeze(object);
}

/** Freezes a part of a value. A frozen part, which may be shared with other objects, is skipped. */
function freezePart(value: unknown, depth: number): void {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeObject(value, depth - 1);
}

function freezeDeep(root: object): void {
  const pending: object[] = [root];
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    for (const value of Object.values(object)) if (typeof value === 'object' && value !== null) pending.push(value);
    Object.freeze(object);
  }
}
