/**
 * The limits on the results of calls, checked before the result is built. The cost of a call is counted after it;
 * without these limits a single call could fill the memory. cel-go has no such limits.
 */
import { takeSteps } from '../runtime/allowance.ts';

/**
 * The maximum length of a text, in UTF-16 units. No cost limit of kube-apiserver lets an expression read such a text
 * once.
 */
const TEXT_MAX = 2 ** 25;
/** The maximum number of items of a list. */
const ITEMS_MAX = 10_000_000;
/** The steps of a UTF-16 unit and of an item. The allowance covers about 64 Mi units of text, or 20 million items. */
const STEPS_PER_UNIT = 3;
const STEPS_PER_ITEM = 10;

/** Called before a text is built. Throws CelStopped if it is too long, or if the allowance is spent. */
export function checkTextLength(length: number): void {
  takeSteps(length > TEXT_MAX ? Number.POSITIVE_INFINITY : length * STEPS_PER_UNIT);
}

/** Called before a list is built. Throws CelStopped if it is too long, or if the allowance is spent. */
export function checkItemCount(count: number): void {
  takeSteps(count > ITEMS_MAX ? Number.POSITIVE_INFINITY : count * STEPS_PER_ITEM);
}

/**
 * Called before every item of a list is compared with every item of another. Throws CelStopped if the allowance is
 * spent.
 */
export function checkComparisons(items: number, others: number): void {
  takeSteps(items * others);
}
