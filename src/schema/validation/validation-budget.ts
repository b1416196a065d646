/**
 * The budget of one validation, counted in simple checks. A schema can ask for far more work than its own size and the
 * size of the object suggest: every item of a list may be compared with every alternative of its schema. Counting
 * checks instead of measuring time makes the verdict independent of the machine.
 */

/** About a few tenths of a second. Schemas in real definitions use about a thousandth of it. */
const CHECKS_MAX = 20_000_000;

/** Thrown by `ValidationBudget.take`. The message is shown to the client as a validation issue. */
export class BudgetExceeded extends Error {
  override readonly name: string = 'BudgetExceeded';
}

/**
 * Created by the caller of a validation and passed down to every check. One budget serves one object, or all defaults
 * of one schema.
 */
export class ValidationBudget {
  #left: number = CHECKS_MAX;

  /** Called before `checks` simple checks are made. Throws BudgetExceeded once the budget is spent. */
  take(checks: number): void {
    this.#left -= checks;
    if (this.#left < 0)
      throw new BudgetExceeded('the schema asks for too many comparisons with an object of this size');
  }
}
