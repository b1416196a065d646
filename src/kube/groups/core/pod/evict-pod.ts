/**
 * The `eviction` subresource of Pods: deletes a Pod if its PodDisruptionBudget allows it. Invariant: the budget's
 * disruptionsAllowed is decremented, and the Pod has the condition DisruptionTarget, before the Pod is deleted.
 */
import {
  DEFAULT_DELETE_OPTIONS,
  type DeleteOptions,
  decodeDeleteBody,
} from '../../../../apimachinery/meta/delete-options.ts';
import { ensureObject, fieldAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { isDryRun } from '../../../../apimachinery/meta/write-options.ts';
import { isConflict, StatusError } from '../../../../apimachinery/status/status.ts';
import {
  badRequest,
  conflict,
  invalid as invalidStatus,
  unknown,
} from '../../../../apimachinery/status/status-catalogue.ts';
import { invalid } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { BugError } from '../../../../base/errors.ts';
import { readJson } from '../../../../base/json-read.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { CreateRequest, ResourceContext, WriteAnswer } from '../../../../server/resource/resource-store.ts';
import type { VersionDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { isConditionTrue } from '../../../shared/conditions.ts';
import { allowsUnready, budgetsOf, stillProcessed, takeDisruption } from './pod-budget.ts';
import { setPodCondition } from './pod-conditions.ts';
import { SUCCESS } from './success.ts';

const KIND = { group: 'policy', kind: 'Eviction' } as const;
const IGNORE_READ_ERROR = FieldPath.of('deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential');
/** The number of attempts when writes conflict with others. */
const ATTEMPTS = 20;
const TOO_MANY_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

const EVICTION: VersionDefinition = {
  ...builtInVersion({ ...KIND, version: 'v1', stored: false }),
  accepts: [{ group: 'policy', version: 'v1beta1' }],
};

interface Eviction {
  readonly kube: KubeContext;
  readonly context: ResourceContext;
  readonly options: DeleteOptions;
}

export function evictionSubresource(kube: KubeContext): SubresourceDefinition {
  return {
    name: 'eviction',
    version: EVICTION,
    store: () => ({
      create: async (context, object, request) => {
        const options = readOptions(context, object, request);
        await request.validate(object);
        return evict({ kube, context, options });
      },
    }),
  };
}

function readOptions(context: ResourceContext, object: JsonObject, request: CreateRequest): DeleteOptions {
  if (context.name !== textAt(object, 'metadata', 'name'))
    throw new StatusError(badRequest('name in URL does not match name in Eviction object'));
  const decoded = decodeDeleteBody(fieldAt(object, 'deleteOptions') ?? null);
  if (!decoded.ok) throw new StatusError(badRequest(decoded.message));
  const options = decoded.value ?? DEFAULT_DELETE_OPTIONS;
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const issue = invalid(IGNORE_READ_ERROR, true, 'can not be set for pod eviction, try after removing the option');
    throw new StatusError(invalidStatus(KIND, context.name, [issue]));
  }
  return options.dryRun.length === 0 && request.dryRun ? { ...options, dryRun: ['All'] } : options;
}

async function evict(eviction: Eviction): Promise<WriteAnswer> {
  const { options } = eviction;
  const versionGiven = options.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const pod = await readPod(eviction);
    if (!ignoresBudgets(pod)) return evictGuarded(eviction, pod);
    const enforced = !versionGiven && !isEnding(pod) ? atVersionOf(options, pod) : options;
    try {
      await markAndDelete(eviction, enforced);
      return SUCCESS;
    } catch (error) {
      if (versionGiven || attempt >= ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

/** Evicts a pod that may be healthy, if its budget allows it. */
async function evictGuarded(eviction: Eviction, pod: JsonObject): Promise<WriteAnswer> {
  const { kube, context, options } = eviction;
  const lister = kube.lister('poddisruptionbudgets');
  await lister.fresh();
  const budgets = budgetsOf(pod, lister.list(context.namespace));
  if (budgets.length > 1) return { ...SUCCESS, status: { ...unknown(TOO_MANY_BUDGETS), code: 500 } };
  const [budget] = budgets;
  const isFree = budget === undefined || (!isConditionTrue(pod, 'Ready') && allowsUnready(budget));
  if (!isFree) await takeFromBudget(eviction, budget);
  const enforced = isFree && budget !== undefined ? atVersionOf(options, pod) : options;
  try {
    await markAndDelete(eviction, enforced);
  } catch (error) {
    const isOurs = enforced !== options && options.preconditions?.resourceVersion === undefined;
    if (isOurs && isConflict(error)) throw new StatusError(stillProcessed(textAt(budget ?? {}, 'metadata', 'name')));
    throw error;
  }
  return SUCCESS;
}

/** Decrements disruptionsAllowed of the current budget, with optimistic concurrency. Throws if there is none left. */
async function takeFromBudget({ kube, context, options }: Eviction, budget: JsonObject): Promise<void> {
  const now = context.request.receivedAt;
  if (isDryRun(options)) {
    takeDisruption(cloneJson(budget), context.name, now);
    return;
  }
  const target = { namespace: context.namespace, name: textAt(budget, 'metadata', 'name') };
  const budgets = kube.writer('poddisruptionbudgets');
  await budgets.updateStatus(target, (current) => takeDisruption(current, context.name, now));
}

/** Sets the condition DisruptionTarget, then deletes the pod. */
async function markAndDelete({ kube, context }: Eviction, asked: DeleteOptions): Promise<void> {
  const pods = kube.writer('pods');
  const { request } = context;
  let options = asked;
  if (!isDryRun(options)) {
    const mark = (pod: JsonObject): void => {
      checkPreconditions(pod, options);
      setPodCondition(
        ensureObject(pod, 'status'),
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        },
        request.receivedAt,
      );
    };
    const marked = await pods.updateStatus(context, mark, { request, fieldManager: null });
    if (options.preconditions?.resourceVersion !== undefined) options = atVersionOf(options, parse(marked));
  }
  await pods.delete(context, options, request);
}

function checkPreconditions(pod: JsonObject, { preconditions }: DeleteOptions): void {
  const check = (what: string, expected: string | undefined, found: string, might: string): void => {
    if ((expected ?? '') === '' || expected === found) return;
    const because = `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been ${might}`;
    throw new StatusError(conflict({ group: '', resource: 'Pod' }, textAt(pod, 'metadata', 'name'), because));
  };
  check('UID', preconditions?.uid, textAt(pod, 'metadata', 'uid'), 'deleted and then recreated');
  check('ResourceVersion', preconditions?.resourceVersion, textAt(pod, 'metadata', 'resourceVersion'), 'modified');
}

async function readPod({ kube, context }: Eviction): Promise<JsonObject> {
  return parse(await kube.resource('pods').registry.get(context, { resourceVersion: '' }));
}

function parse(bytes: Uint8Array): JsonObject {
  const read = readJson(bytes);
  if (!read.ok || !isJsonObject(read.value)) throw new BugError('a store answered with no Pod');
  return read.value;
}

function atVersionOf(options: DeleteOptions, pod: JsonObject): DeleteOptions {
  const resourceVersion = textAt(pod, 'metadata', 'resourceVersion');
  return { ...options, preconditions: { uid: options.preconditions?.uid, resourceVersion } };
}

/** Whether the pod may be evicted without asking a budget: it is pending, has ended, or is being deleted. */
function ignoresBudgets(pod: JsonObject): boolean {
  return isEnding(pod) || textAt(pod, 'status', 'phase') === 'Pending';
}

function isEnding(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' || textAt(pod, 'metadata', 'deletionTimestamp') !== '';
}
