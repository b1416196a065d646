/** Waits until a resource has no objects any more. Invariant: whatever the outcome, no watch and no timer is left. */
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/meta/list-options.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { RegistryStore } from '../../server/registry/store.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { ResourceContext, ResourceWatchSink, WatchRequest } from '../../server/resource/resource-store.ts';

const NOTHING: WatchRequest['encoding'] = { key: 'nothing', event: () => EMPTY_BYTES, bookmark: () => EMPTY_BYTES };

export interface UntilEmptyOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** False if the time was up or it was aborted. Rejects if the store has stopped. */
export async function untilEmpty(
  { definition, registry: store }: StoredResource,
  options: UntilEmptyOptions,
): Promise<boolean> {
  const context = ownContext(options.clock, 'list', { version: definition.storageVersion, namespace: '', name: '' });
  const deadline = options.clock.monotonic() + options.timeoutMs;
  for (;;) {
    const { items, resourceVersion } = await store.list(context, { ...DEFAULT_LIST_OPTIONS, limit: 1 });
    if (items.length === 0) return true;
    const left = deadline - options.clock.monotonic();
    if (left <= 0 || options.signal.aborted) return false;
    if (!(await nextChange(store, context, resourceVersion, { ...options, timeoutMs: left }))) return false;
  }
}

/** Resolves with the next change after a revision; false if there is none in time. */
async function nextChange(
  store: RegistryStore,
  context: ResourceContext,
  resourceVersion: string,
  { clock, timeoutMs, signal }: UntilEmptyOptions,
): Promise<boolean> {
  const changed = new Deferred<boolean>();
  const giveUp = (): void => changed.resolve(false);
  const sink: ResourceWatchSink = {
    write: () => {
      changed.resolve(true);
      return true;
    },
    // A watch that lags behind has seen changes; one that was closed will see no more, which the next list tells.
    end: () => changed.resolve(true),
  };
  const request = { options: { ...DEFAULT_LIST_OPTIONS, watch: true, resourceVersion }, encoding: NOTHING };
  const watch = await store.watch(context, request, sink);
  const timer = clock.setTimer(timeoutMs, giveUp, { background: true });
  signal.addEventListener('abort', giveUp);
  try {
    return await changed.promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
    timer.cancel();
    watch.stop();
  }
}
