/**
 * The evaluation of expressions with an authorizer that may answer with a promise, such as an authorization webhook.
 *
 * Evaluation is synchronous, so that it cannot wait for a decision. When an expression makes a check without a
 * decision, the evaluation is abandoned, the decision is awaited and recorded, and the expression is evaluated again
 * from the start. Expressions are deterministic: the new evaluation makes the same checks up to this one and then
 * continues. Only the last evaluation yields an outcome, so that its cost is the cost of one evaluation. An expression
 * that makes no check, or whose checks are decided at once, is evaluated once and synchronously.
 */
import { toError } from '../../base/errors.ts';
import type { EvaluationLimits, Outcome, Program } from '../environment.ts';
import { CelError, CelStopped, type Value } from '../values.ts';
import { type AuthorizationCheck, type AuthorizationDecision, type Authorize, CHECK_COST } from './authorizer.ts';

/**
 * Decides a check, at once or later. Called at most once for each distinct check of a DeferredAuthorizer. If it throws
 * or the promise is rejected, the call of `check` fails with a CelError. An error of the authorizer that expressions
 * may handle belongs into `AuthorizationDecision.error`.
 */
export type AuthorizeLater = (check: AuthorizationCheck) => AuthorizationDecision | Promise<AuthorizationDecision>;

/**
 * The distinct checks for which one call of `run` may wait. Each one costs another evaluation. kube-apiserver's cost
 * limit allows two checks for each expression; this bound is for callers without a cost limit.
 */
const MAX_WAITS = 32;

type CheckState =
  | { readonly state: 'decided'; readonly decision: AuthorizationDecision }
  | { readonly state: 'failed'; readonly message: string }
  /** `settled` is fulfilled, and never rejected, once the check has another state. */
  | { readonly state: 'pending'; readonly settled: Promise<void> };

/**
 * Thrown through an evaluation that makes a pending check. It is not a CelError, so that expressions cannot absorb it.
 */
class PendingCheck extends Error {
  override readonly name: string = 'PendingCheck';
  readonly settled: Promise<void>;
  constructor(settled: Promise<void>) {
    super('an authorization check is pending: evaluate with DeferredAuthorizer.run');
    this.settled = settled;
  }
}

/**
 * The authorizer of one request. It keeps every decision until it is dropped, so that all expressions of a request see
 * the same decisions and equal checks are made once, like with kube-apiserver's caching authorizer for admission
 * policies.
 */
export class DeferredAuthorizer {
  readonly #authorize: AuthorizeLater;
  readonly #checks = new Map<string, CheckState>();

  constructor(authorize: AuthorizeLater) {
    this.#authorize = authorize;
  }

  /**
   * The synchronous authorizer, for the variables of programs that `run` evaluates (`new CelAuthorizer(...)`). Must not
   * be called elsewhere.
   */
  readonly authorize: Authorize = (check) => {
    const key = JSON.stringify(check);
    const known = this.#checks.get(key) ?? this.#start(key, check);
    switch (known.state) {
      case 'decided':
        return known.decision;
      case 'failed':
        throw new CelError(known.message);
      case 'pending':
        throw new PendingCheck(known.settled);
    }
  };

  /**
   * Evaluates a program like `Program.run`. Returns the outcome itself if no check is pending, otherwise a promise of
   * it. The limits apply to each evaluation. Several calls may be under way at the same time. After 32 pending checks
   * the outcome is a CelStopped.
   */
  run(
    program: Program,
    variables: readonly (Value | undefined)[],
    limits?: EvaluationLimits,
  ): Outcome | Promise<Outcome> {
    const evaluate = (): Outcome | PendingCheck => evaluateOnce(program, variables, limits);
    const first = evaluate();
    return first instanceof PendingCheck ? evaluateAgain(first, evaluate) : first;
  }

  #start(key: string, check: AuthorizationCheck): CheckState {
    const settle = (state: CheckState): CheckState => {
      this.#checks.set(key, state);
      return state;
    };
    const fail = (caught: unknown): CheckState => settle({ state: 'failed', message: toError(caught).message });
    try {
      const decision = this.#authorize(check);
      if (!(decision instanceof Promise)) return settle({ state: 'decided', decision });
      const settled = decision.then((later) => settle({ state: 'decided', decision: later }), fail);
      return settle({ state: 'pending', settled: settled.then(() => undefined) });
    } catch (caught) {
      return fail(caught);
    }
  }
}

function evaluateOnce(
  program: Program,
  variables: readonly (Value | undefined)[],
  limits: EvaluationLimits | undefined,
): Outcome | PendingCheck {
  try {
    return program.run(variables, limits);
  } catch (thrown) {
    if (thrown instanceof PendingCheck) return thrown;
    throw thrown;
  }
}

async function evaluateAgain(first: PendingCheck, evaluate: () => Outcome | PendingCheck): Promise<Outcome> {
  let pending = first;
  for (let waits = 1; waits <= MAX_WAITS; waits++) {
    await pending.settled;
    const ended = evaluate();
    if (!(ended instanceof PendingCheck)) return ended;
    pending = ended;
  }
  const error = new CelStopped('cost', 'operation cancelled: too many authorization checks');
  return { error, cost: MAX_WAITS * CHECK_COST, steps: 0 };
}
