/**
 * The removal of custom objects that were stored after their definition was deleted. The server that deletes a
 * definition does so when it finds no instance. A create that another server has admitted before may be stored after
 * that.
 * Invariant: an object is removed only if no definition for it has existed since it was created.
 */

import { ObjectKeys } from '../../server/registry/object-keys.ts';
import type { RegistryHost } from '../../server/resource/registry-host.ts';
import type { StoredDefinition } from '../../server/resource/resource-definition.ts';
import type { Crd } from '../crd.ts';

export interface LateInstancesOptions {
  readonly host: RegistryHost;
  /** The declaration of CustomResourceDefinition. */
  readonly definitions: StoredDefinition;
}

/**
 * Called when a definition has changed or is gone, and every request that this server admitted under it has ended. Does
 * nothing if the definition exists, or if no other server shares the storage. Returns the number of removed objects.
 * Rejects with a StorageError.
 */
export async function removeLateInstances(crd: Crd, { host, definitions }: LateInstancesOptions): Promise<number> {
  const { storage, scope } = host;
  if (storage.embedded) return 0;
  const until = await storage.revision();
  const stored = await storage.get(new ObjectKeys(scope, definitions.storagePrefix, 'Cluster').key('', crd.name));
  const successor = stored.outcome === 'found' ? stored.item : undefined;
  if (successor !== undefined && successor.created <= Number(crd.resourceVersion)) return 0;
  const prefix = new ObjectKeys(scope, `${crd.group}/${crd.acceptedNames.plural}`, crd.scope).root;
  const listed = await storage.list({ prefix });
  if (listed.outcome !== 'ok') return 0;
  const last = successor === undefined ? until : successor.created - 1;
  const late = listed.items.filter(({ created }) => created <= last);
  const deleted = await Promise.all(late.map(({ key, revision }) => storage.delete(key, { expected: revision })));
  return deleted.filter(({ outcome }) => outcome === 'ok').length;
}
