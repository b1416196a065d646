/**
 * What the validation of one object may take. A schema can ask for far more than its own size and that of the object together: every item of a list may be compared with every alternative
 * of its schema. Invariant: validation is synchronous, so there is one effort at a time; what is refused does not depend on the machine.
 */

/** Of simple checks: some tenths of a second. Schemas that people write take a thousandth of it. */
const CHECKS_MAX = 20_000_000;

let left = CHECKS_MAX;

/** Thrown where validation would take too long. */
export class TooMuchEffort extends Error {
  override readonly name: string = 'TooMuchEffort';
}

/** To be called before an object is validated. */
export function renewEffort(): void {
  left = CHECKS_MAX;
}

/** Before so many checks are made. Throws TooMuchEffort. */
export function takeEffort(checks: number): void {
  left -= checks;
  if (left < 0) throw new TooMuchEffort('the schema asks for too many comparisons with an object of this size');
}
