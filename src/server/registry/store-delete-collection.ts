/**
 * The deletecollection verb, which lists objects and deletes each of them. As in kube-apiserver it is not atomic: the
 * first failure ends the request, and earlier deletions stand. Objects that no longer exist are skipped.
 */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isNotFound } from '../../apimachinery/status/status.ts';
import type { DeleteCollectionRequest, ListPage, ObjectBytes, ResourceContext } from '../resource/resource-store.ts';
import type { StoreCore } from './store-core.ts';
import { deleteObject } from './store-delete.ts';
import { listObjects } from './store-list.ts';
import { parseObject } from './stored-object.ts';

/** The page size of the list (kube-apiserver's deleteCollectionPageSize). */
const PAGE = 10_000;
/** The number of concurrent deletions. Concurrent deletions share a commit, and thereby one sync of the disk. */
const AT_ONCE = 256;

/** Returns the selected objects as they were before their deletion. */
export async function deleteCollection(
  core: StoreCore,
  context: ResourceContext,
  request: DeleteCollectionRequest,
): Promise<ListPage> {
  const limited = request.list.limit > 0;
  // A negative limit means no limit. It is not a page size: a list with a page size reads resourceVersion as exact.
  let options = Number(request.list.limit) === 0 ? { ...request.list, limit: PAGE } : request.list;
  let first: ListPage | undefined;
  const items: ObjectBytes[] = [];
  for (;;) {
    const page = await listObjects(core, context, options);
    await deleteAll(core, context, request, page.items);
    if (limited) return page;
    first ??= page;
    for (const item of page.items) items.push(item);
    if (page.continueToken === '')
      return { resourceVersion: first.resourceVersion, continueToken: '', remaining: undefined, items };
    options = { ...options, continueToken: page.continueToken, resourceVersion: '', resourceVersionMatch: '' };
  }
}

async function deleteAll(
  core: StoreCore,
  context: ResourceContext,
  request: DeleteCollectionRequest,
  items: readonly ObjectBytes[],
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const group = items.slice(from, from + AT_ONCE).map((bytes) => deleteOne(core, context, request, bytes));
    for (const done of await Promise.allSettled(group)) if (done.status === 'rejected') throw done.reason;
  }
}

async function deleteOne(
  core: StoreCore,
  context: ResourceContext,
  request: DeleteCollectionRequest,
  bytes: ObjectBytes,
): Promise<void> {
  const object = parseObject(bytes, context.name);
  try {
    await deleteObject(core, { ...context, namespace: namespaceOf(object), name: nameOf(object) }, request);
  } catch (caught) {
    if (!isNotFound(caught)) throw caught;
  }
}
