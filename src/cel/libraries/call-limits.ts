/**
 * Where calls stop before they begin. What a call costs is counted when it is over; these keep one whose cost no budget covers, or whose result no memory holds, from being
 * made at all. The reference makes them, and is stopped by its memory.
 */
import { takeSteps } from '../runtime/allowance.ts';

/** In UTF-16 units; more than any budget lets an expression read once. */
const TEXT_MAX = 2 ** 25;
/** Of results. */
const ITEMS_MAX = 10_000_000;
/** Steps that a unit of text and an item are worth: all that an evaluation makes is about 64 MiB of texts or lists of 20 million items. */
const STEPS_PER_UNIT = 3;
const STEPS_PER_ITEM = 10;

/** Throws CelStopped for a text that is too long to be made, or that is one too many. */
export function checkTextLength(length: number): void {
  takeSteps(length > TEXT_MAX ? Number.POSITIVE_INFINITY : length * STEPS_PER_UNIT);
}

/** Throws CelStopped for a list that is too long to be made, or that is one too many. */
export function checkItemCount(count: number): void {
  takeSteps(count > ITEMS_MAX ? Number.POSITIVE_INFINITY : count * STEPS_PER_ITEM);
}

/** Throws CelStopped where so many items are too many to be compared with so many others. */
export function checkComparisons(items: number, others: number): void {
  takeSteps(items * others);
}
