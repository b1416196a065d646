/**
 * The worker loop of a control loop: processes the keys of a work queue concurrently and retries failures with the
 * queue's backoff.
 */
import { Deferred } from './deferred.ts';
import { toError } from './errors.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ProcessQueueOptions<K> {
  /**
   * Processes one key. Never runs twice at once for the same key. A rejection is a failure: the key is retried after
   * its backoff.
   */
  work(key: K): Promise<void>;
  /**
   * Called after each failure, before the retry is scheduled. Not called once the queue has stopped. Must not throw.
   */
  onFailure(key: K, error: Error): void;
  /** How many keys are processed at a time. Default: no limit. */
  readonly concurrency?: number;
}

/**
 * Processes keys in the order in which the queue hands them out. A success clears the key's failures. Call it once per
 * queue. Resolves when the queue has drained or stopped and the last key is done.
 */
export async function processQueue<K>(queue: WorkQueue<K>, options: ProcessQueueOptions<K>): Promise<void> {
  const { concurrency = Number.POSITIVE_INFINITY } = options;
  let running = 0;
  let finished = new Deferred<void>();

  const process = async (key: K): Promise<void> => {
    try {
      await options.work(key);
      queue.forget(key);
    } catch (caught) {
      if (!queue.stopped) options.onFailure(key, toError(caught));
      queue.addRateLimited(key);
    } finally {
      queue.done(key);
      running--;
      finished.resolve();
    }
  };

  const oneToFinish = async (): Promise<void> => {
    finished = new Deferred();
    await finished.promise;
  };

  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    running++;
    void process(key);
    while (running >= concurrency) await oneToFinish();
  }
  while (running > 0) await oneToFinish();
}
