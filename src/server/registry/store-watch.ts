/**
 * The watch verb. Once the options are decoded, each failure ends the watch with a Status, because kube-apiserver then
 * answers 200 with an ERROR event.
 * Invariant: a watcher gets every change, or its watch ends.
 */
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import { type Status, statusOf } from '../../apimachinery/status/status.ts';
import { expired, internalError } from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CacheWatchEnd, CacheWatchOptions, EventSink } from '../../cache/cache.ts';
import type { ResourceContext, ResourceWatch, ResourceWatchSink, WatchRequest } from '../resource/resource-store.ts';
import { listScope } from './list-scope.ts';
import { readRevision } from './resource-version.ts';
import { answering, storageFailure } from './storage-status.ts';
import type { StoreCore } from './store-core.ts';
import { waitFor } from './store-read.ts';

type Origin = CacheWatchOptions['from'];

/** The handle of a watch that could not start. */
const NEVER_BEGAN: ResourceWatch = { drained: () => undefined, bookmark: () => false, stop: () => undefined };

export function watchObjects(
  core: StoreCore,
  context: ResourceContext,
  request: WatchRequest,
  sink: ResourceWatchSink,
): MaybePromise<ResourceWatch> {
  return answering(core.resourceName(context), 'watch', () =>
    core.whenReady(() => {
      const revision = readRevision(request.options.resourceVersion);
      let origin: MaybePromise<Origin>;
      try {
        origin = findOrigin(core, request.options, revision);
      } catch (caught) {
        return endSoon(sink, failureOf(core, context, caught));
      }
      if (!isPromise(origin)) return begin(core, context, request, origin, sink);
      return origin.then(
        (from) => begin(core, context, request, from, sink),
        (caught: unknown) => endSoon(sink, failureOf(core, context, caught)),
      );
    }),
  );
}

/** Finds the start of the watch. Waits if the initial state has to be newer than the cache. */
function findOrigin(core: StoreCore, options: ListOptions, revision: number): MaybePromise<Origin> {
  const { resourceVersion: text, sendInitialEvents } = options;
  const { cache, storage } = core;
  if (sendInitialEvents === false) {
    if (text !== '') return revision === 0 ? 'now' : changesAfter(core, revision);
    const current = storage.revision();
    return isPromise(current) ? current.then((after) => ({ after })) : { after: current };
  }
  if (sendInitialEvents === undefined) return revision === 0 ? 'state' : changesAfter(core, revision);
  if (text === '') {
    const current = storage.revision();
    if (isPromise(current)) return current.then((at) => stateAt(core, at, at));
    return stateAt(core, current, current);
  }
  return cache.revision >= revision ? 'state' : stateAt(core, revision, text);
}

function changesAfter({ cache }: StoreCore, after: number): MaybePromise<Origin> {
  const reaching = cache.reachBack(after);
  return reaching === undefined ? { after } : reaching.then(() => ({ after }));
}

function stateAt(core: StoreCore, revision: number, text: string | number): MaybePromise<Origin> {
  return core.cache.revision >= revision ? 'state' : waitFor(core, revision, text).then(() => 'state');
}

function begin(
  core: StoreCore,
  context: ResourceContext,
  { options, encoding }: WatchRequest,
  from: Origin,
  sink: ResourceWatchSink,
): ResourceWatch {
  const { range, filter } = listScope(core.keys, context.namespace, options);
  const oldest = typeof from === 'object' ? from.after : undefined;
  const form = core.formForRequest(context, options.fieldSelector, oldest);
  const start = core.cache.watch(
    {
      range,
      encoding,
      from,
      bookmarks: options.allowWatchBookmarks,
      initialEventsEnd: options.sendInitialEvents === true && options.allowWatchBookmarks,
      ...(filter === undefined ? {} : { filter }),
      ...(form === undefined ? {} : { form }),
    },
    sinkOf(core, context, sink),
  );
  if (start.outcome === 'ok') return start.watch;
  const asked = typeof from === 'object' ? from.after : 0;
  return endSoon(sink, expired(`too old resource version: ${asked} (${start.horizon})`));
}

function sinkOf(core: StoreCore, context: ResourceContext, sink: ResourceWatchSink): EventSink {
  return {
    write: (chunks) => sink.write(chunks),
    end: (reason) => {
      if (reason.reason !== 'stopped') sink.end(statusOfEnd(core, context, reason));
    },
  };
}

/**
 * Returns the Status of an ended watch. Undefined for a slow watcher and a stopped server: the client then resumes
 * after its last event.
 */
function statusOfEnd(
  core: StoreCore,
  context: ResourceContext,
  reason: Exclude<CacheWatchEnd, { reason: 'stopped' }>,
): Status | undefined {
  switch (reason.reason) {
    case 'closed':
    case 'too-slow':
      return undefined;
    case 'compacted':
      return expired('The resourceVersion for the provided watch is too old.');
    case 'failed':
      return failureOf(core, context, reason.error);
  }
}

function failureOf(core: StoreCore, context: ResourceContext, caught: unknown): Status {
  const error = storageFailure(caught, core.resourceName(context), 'watch');
  return statusOf(error) ?? internalError(toError(error).message);
}

/** A watch that ends with a status after its handle was returned, as `ResourceWatchSink` requires. */
function endSoon(sink: ResourceWatchSink, status: Status): ResourceWatch {
  let stopped = false;
  queueMicrotask(() => {
    // The promise of `watch` resolves in a microtask, so the sink is called in a second one after it.
    queueMicrotask(() => {
      if (!stopped) sink.end(status);
      stopped = true;
    });
  });
  return {
    ...NEVER_BEGAN,
    stop: () => {
      stopped = true;
    },
  };
}
