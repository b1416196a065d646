/**
 * The state of one strategic merge: the current path, the remaining work, and the failure. Invariant: a step that
 * returns undefined has called `fail`, and the first failure is kept.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { decodedType, formatDecoded } from '../go-decoded.ts';
import type { PatchError, PatchErrorCode } from './patch-error.ts';

/**
 * The most objects, fields and list elements that one merge may visit: about a second of work. A body of 3 MiB contains
 * far fewer.
 */
export const MAX_MERGE_WORK = 5_000_000;

export const BAD_PRIMITIVE_LIST = 'invalid patch format of primitive list';
export const BAD_RETAIN_KEYS = 'invalid patch format of retainKeys';
export const BAD_ELEMENT_ORDER = 'invalid patch format of setElementOrder list';
export const LIST_OF_LISTS = 'lists of lists are not supported';

/** The classes that the reference's handler gives to errors of strategic merge. Other errors are `unclassified`. */
const CODES: ReadonlyMap<string, PatchErrorCode> = new Map([
  [BAD_PRIMITIVE_LIST, 'invalid-patch'],
  [BAD_RETAIN_KEYS, 'invalid-patch'],
  [BAD_ELEMENT_ORDER, 'invalid-patch'],
  [LIST_OF_LISTS, 'unprocessable'],
]);

export class MergeRun {
  error: PatchError | undefined;
  readonly #path: string[] = [];
  #work: number;

  constructor(maxWork: number = MAX_MERGE_WORK) {
    this.#work = maxWork;
  }

  enter(step: string): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Returns false, with the failure set, when the work is used up. */
  spend(steps: number): boolean {
    this.#work -= steps;
    if (this.#work >= 0) return true;
    this.#fail('too-large', 'the strategic merge patch takes too many steps');
    return false;
  }

  fail(message: string): undefined {
    return this.#fail(CODES.get(message) ?? 'unclassified', message);
  }

  failNoMergeKey(element: JsonObject, mergeKey: string): undefined {
    return this.fail(`map: ${formatDecoded(element)} does not contain declared merge key: ${mergeKey}`);
  }

  failType(expected: 'list' | 'map', actual: JsonValue): undefined {
    const type = decodedType(actual);
    return this.fail(
      `expected a ${expected === 'list' ? '[]interface {}' : 'map[string]interface {}'}, but received a ${type === 'nil' ? '%!s(<nil>)' : type}`,
    );
  }

  #fail(code: PatchErrorCode, message: string): undefined {
    this.error ??= this.#path.length > 0 ? { code, message, path: this.#path.join('.') } : { code, message };
    return undefined;
  }
}
