/** The rules of PodDisruptionBudgets for evictions. */
import {
  ensureObject,
  fieldAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../../../../apimachinery/scalars/time.ts';
import { type Status, StatusError } from '../../../../apimachinery/status/status.ts';
import { forbidden, tooManyRequests } from '../../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { labelsAt, selectorAt, selectorMatches } from '../../../shared/label-selector.ts';

const MAX_DISRUPTED_PODS = 2000;
const CONDITION = 'DisruptionAllowed';
const MESSAGE = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The budgets that select the pod. `budgets` are those of its namespace. */
export function budgetsOf(pod: JsonObject, budgets: readonly JsonObject[]): readonly JsonObject[] {
  const labels = labelsAt(pod, 'metadata', 'labels');
  return budgets.filter((budget) => selectorMatches(selectorAt(budget, 'spec', 'selector'), labels) === true);
}

/** Whether an unready pod may be evicted without a disruption: the policy allows it, or enough pods are healthy. */
export function allowsUnready(budget: JsonObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status', 'desiredHealthy');
  return numberAt(budget, 'status', 'currentHealthy') >= desired && desired > 0;
}

/** Decrements disruptionsAllowed, in place. Throws TooManyRequests with the cause if there is none left. */
export function takeDisruption(budget: JsonObject, podName: string, now: number): void {
  const name = textAt(budget, 'metadata', 'name');
  const status = ensureObject(budget, 'status');
  if (numberAt(status, 'observedGeneration') < numberAt(budget, 'metadata', 'generation'))
    throw new StatusError(stillProcessed(name));
  const resource = { group: 'policy', resource: 'poddisruptionbudget' };
  const allowed = Number(numberAt(status, 'disruptionsAllowed'));
  if (allowed < 0) throw new StatusError(forbidden(resource, name, 'pdb disruptions allowed is negative'));
  if (Object.keys(objectAt(status, 'disruptedPods') ?? {}).length > MAX_DISRUPTED_PODS) {
    const because = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw new StatusError(forbidden(resource, name, because));
  }
  if (allowed === 0) throw new StatusError(withCause(tooManyRequests(MESSAGE, 0), whyNot(name, status)));
  status['disruptionsAllowed'] = allowed - 1;
  const time = formatTime(instantFromMillis(now));
  if (allowed === 1) closeBudget(budget, status, time);
  ensureObject(status, 'disruptedPods')[podName] = time;
}

/** The answer while the controller has not observed the current generation of the budget. */
export function stillProcessed(name: string): Status {
  return withCause(
    tooManyRequests(MESSAGE, 10),
    `The disruption budget ${name} is still being processed by the server.`,
  );
}

function withCause(status: Status, message: string): Status {
  return { ...status, details: { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] } };
}

function whyNot(name: string, status: JsonObject): string {
  const condition = objectsAt(status, 'conditions').find((one) => textAt(one, 'type') === CONDITION);
  const message = condition === undefined ? '' : textAt(condition, 'message');
  const isRefused = condition !== undefined && textAt(condition, 'status') === 'False' && message !== '';
  const reason = condition === undefined ? '' : textAt(condition, 'reason');
  const budget = `The disruption budget ${name}`;
  if (isRefused && reason === 'SyncFailed')
    return `${budget} does not allow evicting pods currently because it failed sync: ${message}`;
  const [current, desired] = [numberAt(status, 'currentHealthy'), numberAt(status, 'desiredHealthy')];
  if (current <= desired) return `${budget} needs ${desired} healthy pods and has ${current} currently`;
  if (isRefused) return `${budget} does not allow evicting pods currently (${reason}): ${message}`;
  return `${budget} does not allow evicting pods currently`;
}

/** Sets the condition DisruptionAllowed to False. */
function closeBudget(budget: JsonObject, status: JsonObject, time: string): void {
  const conditions = [...objectsAt(status, 'conditions')];
  const i = conditions.findIndex((one) => textAt(one, 'type') === CONDITION);
  const old = conditions[i];
  const closed: JsonObject = {
    type: CONDITION,
    status: 'False',
    observedGeneration: numberAt(budget, 'metadata', 'generation'),
    lastTransitionTime:
      old !== undefined && textAt(old, 'status') === 'False' ? (fieldAt(old, 'lastTransitionTime') ?? time) : time,
    reason: 'InsufficientPods',
    message: '',
  };
  if (i < 0) conditions.push(closed);
  else conditions[i] = closed;
  status['conditions'] = conditions;
}
