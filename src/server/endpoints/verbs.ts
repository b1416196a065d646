/** The verbs of a store, for discovery. They are exactly those that the routes serve. */
import { compareUtf8 } from '../../base/utf8.ts';
import type { ResourceStore } from '../resource/resource-store.ts';

const CONNECT_VERBS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Returns the verbs, sorted. */
export function verbsOf(store: ResourceStore): readonly string[] {
  const verbs = new Set<string>();
  if (store.get !== undefined) verbs.add('get');
  if (store.list !== undefined) verbs.add('list');
  if (store.watch !== undefined) verbs.add('watch');
  if (store.create !== undefined) verbs.add('create');
  if (store.update !== undefined) {
    verbs.add('update');
    if (store.get !== undefined) verbs.add('patch');
  }
  if (store.delete !== undefined) verbs.add('delete');
  if (store.deleteCollection !== undefined) verbs.add('deletecollection');
  for (const method of store.connect === undefined ? [] : (store.connectMethods ?? [])) {
    const verb = CONNECT_VERBS.get(method);
    if (verb !== undefined) verbs.add(verb);
  }
  return [...verbs].sort(compareUtf8);
}
