/**
 * A wait until a resource has no objects. Invariant: no watch and no timer is left when it ends, whatever the outcome.
 */
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

/** Returns false if the time is up or the signal is aborted. Rejects if the store has stopped. */
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

/** Returns true at the next change after a revision, false if there is none in time. */
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
    // A watch that ends because it is too slow has seen changes. After any other end, the next list shows the state.
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
