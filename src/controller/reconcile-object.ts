/**
 * The steps of one reconcile: read the object, run or add its finalizers, call the reconcile function, apply the
 * status.
 */
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';
import { BugError } from '../base/errors.ts';
import type { ObjectKey } from '../client/informer.ts';
import type { Applied, Stored } from '../client/object-types.ts';
import type { ActiveReconcile, ReconcileTools } from './active-reconcile.ts';
import type { FinalizerDefinition, OperatorDefinition } from './definition.ts';
import { changeFinalizers } from './finalizers.ts';
import { describeObject, parseKey } from './keys.ts';
import type { Reconcile } from './reconcile.ts';
import { checkResult, done, type Result } from './result.ts';

export interface Outcome {
  readonly result: Result;
  /** Whether the object did not exist, or was removed meanwhile. */
  readonly gone: boolean;
}

/** Runs one reconcile. Rejects with the error of a function of the user, or with the failure of a request. */
export async function reconcileObject<T>(
  definition: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
  { cache, writes }: Pick<ReconcileTools, 'cache' | 'writes'>,
): Promise<Outcome> {
  const { kind, finalizers, forOptions } = definition;
  const { key } = active;
  const informer = cache.informer(kind);
  const object =
    informer.hasSynced && !writes.isPending(kind, key)
      ? informer.store.getByKey(key)
      : await cache.read(kind, key, active.signal);
  if (object === undefined) return { result: checkResult(await definition.gone?.(active)), gone: true };
  active.setObject(object);
  if (object.metadata.deletionTimestamp !== undefined) {
    const result = await finalize(definition, active, (gone) => {
      if (gone) writes.deleted(kind, key, 'gone');
    });
    if (result !== undefined) return result;
    if (forOptions.reconcileDeleted !== true) return { result: done, gone: false };
  } else if (finalizers.some(({ name }) => !hasFinalizer(object, name))) {
    const changed = await changeFinalizers(apiOf(definition, active), object, {
      add: finalizers.map(({ name }) => name),
      fieldManager: definition.name,
    });
    if (changed === undefined) return { result: done, gone: true };
    active.ownChange(changed.metadata.resourceVersion, 'own finalizer');
    // The cache must see the finalizers before the next step, even if another program has added them.
    writes.wrote(kind, key, changed.metadata.resourceVersion);
    return reconcileObject(definition, active, { cache, writes });
  }
  return { result: await call(definition, active, definition.reconcile), gone: false };
}

/**
 * Runs the finalizers that the object has, in the order of their definition, and removes each one that is done.
 * Resolves with undefined if the object has none of the operator's finalizers.
 */
async function finalize<T>(
  definition: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
  onRemoved: (gone: boolean) => void,
): Promise<Outcome | undefined> {
  let ran = false;
  for (const finalizer of definition.finalizers) {
    if (!hasFinalizer(active.object, finalizer.name)) continue;
    ran = true;
    const result = await call(definition, active, finalizer.finalize);
    if (result.result !== 'done') return { result, gone: false };
    const left = await removeFinalizer(definition, active, finalizer);
    if (left !== undefined) active.ownChange(left.metadata.resourceVersion, 'own finalizer');
    const isLast = left === undefined || (left.metadata.finalizers ?? []).length === 0;
    onRemoved(isLast && (active.object.metadata.deletionGracePeriodSeconds ?? 0) === 0);
    if (isLast || left === undefined) return { result: done, gone: true };
    active.setObject(left);
  }
  return ran ? { result: done, gone: false } : undefined;
}

function removeFinalizer<T>(
  definition: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
  { name }: FinalizerDefinition<T>,
): Promise<Stored<T> | undefined> {
  const change = { remove: name, fieldManager: definition.name };
  return changeFinalizers(apiOf(definition, active), active.object, change);
}

/** Calls a function of the user. If it returns, applies the status that it has set. */
async function call<T>(
  definition: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
  work: Reconcile<T>,
): Promise<Result> {
  const result = checkResult(await work(active));
  const status = active.collectedStatus();
  if (status !== undefined) await applyStatus(definition, active, status);
  return result;
}

async function applyStatus<T>(
  definition: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { name, namespace, uid } = active.object.metadata;
  const metadata = { name, uid, ...(namespace === undefined ? {} : { namespace }) };
  const api = apiOf(definition, active);
  try {
    const applied = await api.apply({ metadata, status } as unknown as Applied<T>, {
      fieldManager: definition.name,
      force: true,
      subresource: 'status',
    });
    active.ownChange(applied.metadata.resourceVersion, 'own status');
  } catch (caught) {
    // A forced apply conflicts only if another object now has the name.
    if (isConflict(caught)) return;
    if (!isNotFound(caught)) throw caught;
    const present = await api.find(name);
    if (present?.metadata.uid === uid)
      throw new BugError(
        `${describeObject(definition.kind, active.key)} has no status subresource: add \`subresources: {status: {}}\` to its definition`,
        { cause: caught },
      );
  }
}

function apiOf<T>(
  { kind }: OperatorDefinition<T>,
  active: ActiveReconcile<T>,
): ReturnType<typeof active.client.api<T>> {
  return active.client.api(kind, namespaceOf(active.key));
}

function namespaceOf(key: ObjectKey): string | undefined {
  return parseKey(key).namespace;
}

function hasFinalizer({ metadata }: Stored<unknown>, name: string): boolean {
  return metadata.finalizers?.includes(name) === true;
}
