/** The cost limits of expressions in admission policies and match conditions: those of kube-apiserver. */

/** For one expression. */
export const EXPRESSION_COST = 1_000_000;
/** For all match conditions of one webhook or policy. */
export const CONDITIONS_COST = 2_500_000;
/** For all other expressions of one policy, binding and parameter. */
export const POLICY_COST = 10_000_000;

/** The message when a common limit is exceeded. */
export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';
