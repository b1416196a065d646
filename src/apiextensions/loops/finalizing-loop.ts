/**
 * The loop that deletes the instances of definitions that are being deleted. It waits for instances that finalizers
 * hold, and then removes the cleanup finalizer of the definition. Invariant: the cleanup finalizer is removed only
 * after a list found no instance. The condition Terminating reports the progress in kube-apiserver's words.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import { OwnWriter } from '../../server/own/own-writer.ts';
import { timestamp } from '../../server/registry/object-metadata.ts';
import type { Crd } from '../crd.ts';
import type { CrdChange, CrdLister } from '../crd-lister.ts';
import type { CustomHandler } from '../custom-resource/custom-handler.ts';
import { isConditionTrue, setCondition, type WantedCondition } from '../definition/crd-conditions.ts';
import { CLEANUP_FINALIZER } from '../definition/crd-strategy.ts';
import type { DefinitionWriter } from './definition-writer.ts';
import { untilEmpty } from './until-empty.ts';

export interface FinalizingLoopOptions {
  readonly clock: Clock;
  readonly lister: CrdLister;
  readonly writer: DefinitionWriter;
  /** Returns the handler that serves the instances. */
  handlerOf(crd: Crd): CustomHandler | undefined;
  onFailure(name: string, error: Error): void;
}

/** The number of definitions that are processed at a time, as in kube-apiserver. */
const AT_ONCE = 5;
/**
 * The time for which the loop waits until all instances are gone. Then the condition reports a failure, and the loop
 * tries again.
 */
const WAIT_MS = 60_000;

export class FinalizingLoop {
  readonly #options: FinalizingLoopOptions;
  readonly #queue: WorkQueue;
  /** The last processed state of each definition, without the fields that this loop writes. */
  readonly #seen = new Map<string, string>();
  readonly #stopping = new AbortController();

  constructor(options: FinalizingLoopOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /** Begins to process the definitions that `changed` names. Call it once. */
  start(): void {
    void processQueue(this.#queue, {
      work: (name) => this.#sync(name),
      onFailure: (name, error) => this.#options.onFailure(name, error),
      concurrency: AT_ONCE,
    });
  }

  /** The listener for changes of definitions; see `CrdLister.follow`. */
  readonly changed = (changes: readonly CrdChange[]): void => {
    for (const { name, crd } of changes) {
      if (crd === undefined || !isHeld(crd)) {
        this.#seen.delete(name);
        continue;
      }
      const state = stateOf(crd);
      if (this.#seen.get(name) === state) continue;
      this.#seen.set(name, state);
      this.#queue.add(name);
    }
  };

  /** Stops without waiting for instances. The next start continues. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#queue.stop();
  }

  async #sync(name: string): Promise<void> {
    // A write based on an older state would conflict again.
    await this.#options.lister.fresh();
    const present = this.#options.lister.get(name);
    if (present === undefined || !isHeld(present)) return;
    const begun = await this.#write(present, IN_PROGRESS);
    if (begun === undefined) {
      this.#queue.add(name);
      return;
    }
    const isEstablished = isConditionTrue(begun, 'Established');
    const failure = isEstablished ? await this.#empty(begun) : undefined;
    if (this.#stopping.signal.aborted) return;
    if (failure !== undefined) {
      await this.#write(begun, failure);
      throw new StatusError(unknown(failure.message));
    }
    // Another writer has changed the definition: process it again.
    const released = await this.#release(begun, isEstablished ? COMPLETED : NEVER_ESTABLISHED);
    if (released === undefined) this.#queue.add(name);
  }

  /** Deletes all instances. Returns undefined once there are none, or the condition that reports the failure. */
  async #empty(crd: Crd): Promise<WantedCondition | undefined> {
    const handler = this.#options.handlerOf(crd);
    if (handler === undefined) {
      const who = `${crd.acceptedNames.plural}.${crd.group}`;
      return failed(
        'InstanceDeletionFailed',
        `could not list instances: unable to find a custom resource client for ${who}`,
      );
    }
    // A create that began before the definition was marked may still store its object.
    await this.#options.lister.fresh();
    await this.#atMost(handler.quiesced(), WAIT_MS);
    const instances = handler.resource();
    try {
      await handler.counted(new OwnWriter(instances).deleteAll());
    } catch (caught) {
      return failed('InstanceDeletionFailed', `could not issue all deletes: ${toError(caught).message}`);
    }
    const { clock } = this.#options;
    try {
      const emptied = untilEmpty(instances, { clock, timeoutMs: WAIT_MS, signal: this.#stopping.signal });
      if (await emptied) return undefined;
    } catch (caught) {
      return failed('InstanceDeletionCheck', notConfirmed(toError(caught).message));
    }
    return failed('InstanceDeletionCheck', notConfirmed('context deadline exceeded'));
  }

  /** Waits for the promise or the timeout, whichever is first. */
  async #atMost(until: Promise<void>, timeoutMs: number): Promise<void> {
    const { signal } = this.#stopping;
    const over = new Deferred<void>();
    const end = (): void => over.resolve();
    const timer = this.#options.clock.setTimer(timeoutMs, end, { background: true });
    signal.addEventListener('abort', end);
    await Promise.race([until, over.promise]);
    signal.removeEventListener('abort', end);
    timer.cancel();
  }

  async #write(crd: Crd, condition: WantedCondition): Promise<Crd | undefined> {
    const written = await this.#options.writer.write(crd, (object) => this.#set(object, condition));
    return written?.();
  }

  #release(crd: Crd, condition: WantedCondition): Promise<(() => Crd) | undefined> {
    return this.#options.writer.write(crd, (object) => {
      this.#set(object, condition);
      const metadata = getField(object, 'metadata');
      const finalizers = isJsonObject(metadata) ? getField(metadata, 'finalizers') : undefined;
      if (!isJsonObject(metadata) || !Array.isArray(finalizers)) return;
      const kept = finalizers.filter((name) => name !== CLEANUP_FINALIZER);
      if (kept.length > 0) metadata['finalizers'] = kept;
      else delete metadata['finalizers'];
    });
  }

  #set(object: JsonObject, condition: WantedCondition): void {
    setCondition(object, condition, timestamp(this.#options.clock.now()));
  }
}

const IN_PROGRESS: WantedCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

const COMPLETED: WantedCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

const NEVER_ESTABLISHED: WantedCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

function failed(reason: string, message: string): WantedCondition {
  return { type: 'Terminating', status: 'True', reason, message };
}

function notConfirmed(because: string): string {
  return `could not confirm zero CustomResources remaining: ${because}`;
}

function isHeld({ deletionTimestamp, finalizers }: Crd): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(CLEANUP_FINALIZER);
}

function stateOf({ uid, generation, finalizers, conditions }: Crd): string {
  const others = conditions.filter(({ type }) => type !== 'Terminating').map(({ type, status }) => [type, status]);
  return JSON.stringify([uid, generation, finalizers, others]);
}
