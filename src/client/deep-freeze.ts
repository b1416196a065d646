/** Freezing of JSON values. */

/** Deeper values are walked with an explicit stack: readers allow more nesting than the call stack does. */
const RECURSION_DEPTH = 200;

/**
 * Freezes a value and everything in it, and returns it. A root that is frozen counts as frozen throughout, so a second
 * call costs nothing: the root is frozen last.
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

/** A part that is frozen may be shared with other objects. */
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
