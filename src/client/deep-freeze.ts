/** Freezing of JSON values. */

/**
 * Freezes a value and everything in it, and returns it. A root that is frozen counts as frozen throughout, so a second
 * call costs nothing: the root is frozen last. Recursion is bounded by the nesting of JSON from a server.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) freezeObject(value);
  return value;
}

function freezeObject(object: object): void {
  if (Array.isArray(object)) {
    for (let i = 0; i < object.length; i++) {
      const item: unknown = object[i];
      if (typeof item === 'object' && item !== null) freezeObject(item);
    }
  } else {
    for (const key of Object.keys(object)) {
      const item = (object as Record<string, unknown>)[key];
      if (typeof item === 'object' && item !== null) freezeObject(item);
    }
  }
  Object.freeze(object);
}
