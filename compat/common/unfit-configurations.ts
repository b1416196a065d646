/** The known difference about applied configurations that do not fit their type, which several suites meet. */
import type { KnownEntry } from './outcome.ts';

export const UNFIT_CONFIGURATION: KnownEntry = {
  id: 'Configurations that do not fit',
  reason: 'undeclared fields, wrong types and repeated keys are 422 with the field; the reference answers 500',
};

/** Matches `where: reference → candidate` of the answer to such a configuration. */
export const UNFIT_ANSWER: RegExp = new RegExp(
  [
    /^status: 500 → 4(?:00|22)$/,
    /^body\.code: 500 → /,
    /^body\.message: "failed to create typed patch object/,
    /^body\.details: \(absent\) → /,
    /^body\.reason: \(absent\) → "(?:Invalid|BadRequest)"/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
