/**
 * The delete verb. It removes an object, or marks it if finalizers, a grace period or the strategy delay the removal.
 * See Strategy for the order of the steps.
 * Invariant: the removed state is exactly the state on which preconditions and admission were checked.
 */
import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { finalizersOf, isTerminating, nameOf, uidOf } from '../../apimachinery/meta/meta.ts';
import { isDryRun } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { withRevision } from '../../cache/entry.ts';
import type { DeleteAnswer, DeleteRequest, ResourceContext } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import { changeKey, type Step } from './change-key.ts';
import { beginDeletion, deletionFinalizers, type Gracefulness, markDeleting } from './deletion-marks.ts';
import { checkDeletePreconditions } from './preconditions.ts';
import { answering } from './storage-status.ts';
import type { StoreCore } from './store-core.ts';
import { answerUnstored } from './store-create.ts';
import { encodeStored, metadataIn, readStored, type StoredState } from './stored-object.ts';

interface Deletion {
  readonly core: StoreCore;
  readonly context: ResourceContext;
  readonly request: DeleteRequest;
  readonly dryRun: boolean;
  /**
   * Whether this deletion has written its marks. The resourceVersion precondition was met then, and no longer applies.
   */
  marked: boolean;
}

export function deleteObject(
  core: StoreCore,
  context: ResourceContext,
  request: DeleteRequest,
): MaybePromise<DeleteAnswer> {
  const deletion: Deletion = { core, context, request, dryRun: isDryRun(request.options), marked: false };
  return answering(core.resourceName(context), 'delete', () =>
    changeKey(core, context, core.keys.key(context.namespace, context.name), (current) => {
      if (current === undefined) throw new StatusError(notFound(core.resourceName(context), context.name));
      return decide(deletion, current);
    }),
  );
}

async function decide(deletion: Deletion, current: StoredState): Promise<Step<DeleteAnswer>> {
  const { core, context, request } = deletion;
  const { strategy } = core.definition;
  const { options } = request;
  const { versions } = core;
  const stored = readStored(current);
  const exact = core.isExact(current.revision);
  checkExpectations(deletion, stored);
  const shown = await versions.fromStored(cloneJson(stored), context.version, exact);
  if (!exact && isRemovedAtOnce(strategy, shown, options)) {
    await request.validate(shown);
    return deleteNow(deletion, shown);
  }
  const object = exact ? stored : await versions.fromStored(stored, versions.hub, false);
  const now = core.host.clock.now();
  const isFirst = !isTerminating(object);
  // A repeated delete of an object that the strategy still holds changes nothing, not even the finalizers.
  if (!isFirst && strategy.holdsDeletion?.(object) === true)
    return { type: 'answer', answer: () => answerHeld(deletion, object) };
  const seen = strategy.objectVersion === 'storage' ? object : shown;
  const gracefulness = beginDeletion(strategy, object, seen, options, now);
  if (gracefulness.kind === 'pending') return { type: 'answer', answer: () => answerPending(deletion, object) };
  await request.validate(shown, admittedOptions(strategy, options, shown, gracefulness, isFirst));
  const finalizers = deletionFinalizers(strategy, finalizersOf(object), options);
  setFinalizers(object, finalizers);
  const held = finalizers.length > 0 || strategy.holdsDeletion?.(object) === true;
  if (gracefulness.kind === 'now' && !held) return deleteNow(deletion, object);
  if (gracefulness.kind === 'now') markDeleting(object, now);
  strategy.prepareForDeletion?.(object, isFirst);
  return mark(deletion, object, gracefulness, held);
}

/**
 * Returns the options that admission sees. As in kube-apiserver, the first delete of an object that is not removed at
 * once has its grace period, and for a kind with `holdsDeletion` also the uid of the stored object.
 */
function admittedOptions(
  { holdsDeletion }: Strategy,
  options: DeleteOptions,
  object: JsonObject,
  gracefulness: Gracefulness,
  isFirst: boolean,
): DeleteOptions {
  const { preconditions } = options;
  if (holdsDeletion !== undefined && preconditions?.uid === undefined)
    return {
      ...options,
      preconditions: { uid: uidOf(object), resourceVersion: preconditions?.resourceVersion },
    };
  return isFirst && gracefulness.kind === 'graceful'
    ? { ...options, gracePeriodSeconds: gracefulness.seconds }
    : options;
}

/**
 * Whether the object is removed without being written or returned. It then needs no conversion to the storage version,
 * so an object that cannot be converted can still be deleted.
 */
function isRemovedAtOnce(strategy: Strategy, shown: JsonObject, options: DeleteOptions): boolean {
  const { grace, holdsDeletion, returnsDeletedObject } = strategy;
  if (grace !== undefined || holdsDeletion !== undefined || returnsDeletedObject === true) return false;
  return deletionFinalizers(strategy, finalizersOf(shown), options).length === 0;
}

function checkExpectations({ context, request, marked }: Deletion, object: JsonObject): void {
  const { preconditions } = request.options;
  if (preconditions === undefined) return;
  const expected = marked ? { uid: preconditions.uid, resourceVersion: undefined } : preconditions;
  const { group, kind } = context.version;
  checkDeletePreconditions(expected, metadataIn(object), { group, resource: kind });
}

function setFinalizers(object: JsonObject, finalizers: readonly string[]): void {
  const metadata = metadataIn(object);
  if (finalizers.length > 0) metadata['finalizers'] = [...finalizers];
  else if (metadata['finalizers'] !== undefined) delete metadata['finalizers'];
}

function deleteNow(deletion: Deletion, object: JsonObject): Step<DeleteAnswer> {
  const { core, context } = deletion;
  const gone = { outcome: 'deleted', name: nameOf(object), uid: uidOf(object) } as const;
  if (!core.definition.strategy.returnsDeletedObject) {
    const answer: DeleteAnswer = { ...gone, bytes: undefined };
    return deletion.dryRun ? { type: 'answer', answer: () => answer } : { type: 'delete', done: () => answer };
  }
  if (deletion.dryRun) {
    const unstored = (): MaybePromise<DeleteAnswer> =>
      andThen(answerUnstored(core, context, object, false), ({ bytes }) => ({ ...gone, bytes }));
    return { type: 'answer', answer: unstored };
  }
  return {
    type: 'delete',
    done: (last, revision) =>
      andThen(core.show(withRevision(core.entryOf(last), revision), context.version), (bytes) => ({ ...gone, bytes })),
  };
}

/** Writes the marks. If nothing delays the removal, the object is removed in a second step, as in kube-apiserver. */
function mark(deletion: Deletion, object: JsonObject, gracefulness: Gracefulness, held: boolean): Step<DeleteAnswer> {
  const { core, context } = deletion;
  const ends = !held && gracefulness.kind === 'graceful' && gracefulness.seconds === 0;
  if (deletion.dryRun) {
    const unstored = (): MaybePromise<DeleteAnswer> =>
      andThen(answerUnstored(core, context, object, false), ({ bytes }) =>
        ends ? { outcome: 'deleted', name: nameOf(object), uid: uidOf(object), bytes } : { outcome: 'pending', bytes },
      );
    return { type: 'answer', answer: unstored };
  }
  return {
    type: 'write',
    value: encodeStored(object),
    options: {},
    done: (state) => {
      deletion.marked = true;
      if (ends) return undefined;
      return andThen(core.show(core.entryOf(state), context.version), (bytes) => ({ outcome: 'pending', bytes }));
    },
  };
}

/**
 * Makes the answer for an object that is already terminating: the object if the strategy has `returnsDeletedObject`,
 * otherwise a Status.
 */
function answerPending(deletion: Deletion, object: JsonObject): MaybePromise<DeleteAnswer> {
  if (!deletion.core.definition.strategy.returnsDeletedObject)
    return { outcome: 'deleted', name: nameOf(object), uid: uidOf(object), bytes: undefined };
  return answerHeld(deletion, object);
}

function answerHeld({ core, context }: Deletion, object: JsonObject): MaybePromise<DeleteAnswer> {
  return andThen(answerUnstored(core, context, object, false), ({ bytes }) => ({ outcome: 'pending', bytes }));
}
