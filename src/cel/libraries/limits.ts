/**
 * Where calls stop before they begin. What a call costs is counted when it is over; these keep one whose cost no budget covers, or whose result no memory holds, from being
 * made at all. The reference makes them, and is stopped by its memory.
 */
import { CelStopped } from '../values.ts';

/** In UTF-16 units; more than any budget lets an expression read once. */
const TEXT_MAX = 2 ** 25;
/** Of results. */
const ITEMS_MAX = 10_000_000;
/** Of lists whose items are all compared with each other. */
const COMPARED_ITEMS_MAX = 20_000;

function stop(): never {
  throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
}

/** Throws CelStopped for a text that is too long to be made. */
export function checkTextLength(length: number): void {
  if (length > TEXT_MAX) stop();
}

/** Throws CelStopped for a list that is too long to be made. */
export function checkItemCount(count: number): void {
  if (count > ITEMS_MAX) stop();
}

/** Throws CelStopped for a list whose items are too many to be compared with each other. */
export function checkComparedCount(count: number): void {
  if (count > COMPARED_ITEMS_MAX) stop();
}
