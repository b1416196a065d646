/**
 * The get verb. In the storage version it returns the bytes of the cache.
 * Invariant: a get without a resourceVersion sees every write that was acknowledged before it.
 */
import type { GetOptions } from '../../apimachinery/meta/write-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Entry } from '../../cache/cache.ts';
import type { Revision } from '../../storage/storage.ts';
import type { ObjectBytes, ResourceContext } from '../resource/resource-store.ts';
import { readRevision, tooLarge } from './resource-version.ts';
import { answering, storageFailure } from './storage-status.ts';
import type { StoreCore } from './store-core.ts';

export function getObject(core: StoreCore, context: ResourceContext, options: GetOptions): MaybePromise<ObjectBytes> {
  if (!core.ready) {
    return answering(core.resourceName(context), 'get', () =>
      core.start().then(() => getObject(core, context, options)),
    );
  }
  const key = core.keys.key(context.namespace, context.name);
  const { resourceVersion } = options;
  try {
    if (resourceVersion === '0') return shown(core, context, core.cache.get(key));
    const found = resourceVersion === '' ? core.freshEntry(key) : entryNotOlder(core, key, resourceVersion);
    if (!isPromise(found)) return shown(core, context, found);
    return answering(core.resourceName(context), 'get', () => found.then((entry) => shown(core, context, entry)));
  } catch (caught) {
    throw storageFailure(caught, core.resourceName(context), 'get');
  }
}

function entryNotOlder(core: StoreCore, key: string, text: string): MaybePromise<Entry | undefined> {
  const revision = readRevision(text);
  if (core.cache.revision >= revision) return core.cache.get(key);
  return waitFor(core, revision, text).then(() => core.cache.get(key));
}

/** Waits until the cache has reached a revision. Throws a 504 if this takes too long. */
export async function waitFor(core: StoreCore, revision: Revision, text: string | Revision): Promise<void> {
  const reached = await core.cache.waitFor(revision);
  if (reached.outcome === 'future') throw tooLarge(text, reached.current);
}

function shown(core: StoreCore, context: ResourceContext, entry: Entry | undefined): MaybePromise<ObjectBytes> {
  if (entry === undefined) throw new StatusError(notFound(core.resourceName(context), context.name));
  return core.showsStored(context) ? entry.bytes : core.show(entry, context.version);
}
