/**
 * Assertions of the conformance suite, which imports no test runner. A failure is a BugError with the path of the
 * difference.
 */
import { BugError, toError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { isStorageError, type StorageErrorCode } from './errors.ts';

/** Deep equality of plain data. Bytes are compared by content; an absent property equals an undefined one. */
export function expectEqual(actual: unknown, expected: unknown, what = 'value'): void {
  const difference = findDifference(actual, expected, what);
  if (difference !== undefined) throw new BugError(difference);
}

export function expectTrue(condition: boolean, what: string): asserts condition {
  if (!condition) throw new BugError(`expected that ${what}`);
}

/** Asserts the outcome of a result and narrows its type. */
export function expectOutcome<R extends { readonly outcome: string }, O extends R['outcome']>(
  result: R,
  outcome: O,
): Extract<R, { readonly outcome: O }> {
  if (result.outcome !== outcome) throw new BugError(`expected outcome ${outcome}, got ${show(result)}`);
  return result as Extract<R, { readonly outcome: O }>;
}

/** Asserts that the call throws, or rejects with, a StorageError with this code. */
export async function expectStorageError(call: () => MaybePromise<unknown>, code: StorageErrorCode): Promise<void> {
  let result: unknown;
  try {
    result = await call();
  } catch (caught) {
    if (isStorageError(caught, code)) return;
    throw new BugError(`expected StorageError ${code}, got ${toError(caught).name}: ${toError(caught).message}`, {
      cause: caught,
    });
  }
  throw new BugError(`expected StorageError ${code}, got ${show(result)}`);
}

function findDifference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (
    typeof actual !== 'object' ||
    typeof expected !== 'object' ||
    actual === null ||
    expected === null ||
    Array.isArray(actual) !== Array.isArray(expected) ||
    actual instanceof Uint8Array !== expected instanceof Uint8Array
  ) {
    return `${path}: expected ${show(expected)}, got ${show(actual)}`;
  }
  if (
    (Array.isArray(actual) || actual instanceof Uint8Array) &&
    (actual.length as number) !== (expected as []).length
  ) {
    return `${path}: expected length ${(expected as []).length}, got ${actual.length}: ${show(expected)} and ${show(actual)}`;
  }
  const left = actual as Record<string, unknown>;
  const right = expected as Record<string, unknown>;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const difference = findDifference(left[key], right[key], `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    part instanceof Uint8Array ? `bytes(${part.byteLength}) ${new TextDecoder().decode(part.subarray(0, 32))}` : part,
  );
  return text === undefined ? String(value) : text.slice(0, 400);
}
