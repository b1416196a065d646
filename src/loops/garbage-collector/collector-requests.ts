/**
 * The requests of the garbage collector. Each request names an object by its coordinates and its uid. It does nothing
 * if the object is gone, or if another object has its name.
 */
import { isConflict, isNotFound, isUnsupportedMediaType } from '../../apimachinery/status/status.ts';
import type { Api, Client } from '../../client/api.ts';
import type { Stored, UntypedObject } from '../../client/object-types.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ServedResource } from '../served-resources.ts';
import type { ObjectIdentity, OwnerReference, PropagationPolicy } from './owner-graph.ts';

/** The number of immediate retries after a conflict. Further retries are those of the work queue, with backoff. */
const CONFLICT_RETRIES = 5;

export class CollectorRequests {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reads the object from the server. Resolves with true if an object with the uid exists at these coordinates. */
  async exists(resource: ServedResource, { namespace, name, uid }: ObjectIdentity): Promise<boolean> {
    const found = await this.#api(resource, namespace).find(name);
    return found?.metadata.uid === uid;
  }

  /**
   * Deletes the object if it has the uid and the resourceVersion ('' for any). Resolves with `changed` if one of them
   * differs, and with `gone` if there is no object of that name.
   */
  async delete(
    resource: ServedResource,
    { namespace, name, uid }: ObjectIdentity,
    { policy, resourceVersion }: { readonly policy: PropagationPolicy; readonly resourceVersion: string },
  ): Promise<'deleted' | 'gone' | 'changed'> {
    const preconditions = { uid, ...(resourceVersion !== '' && { resourceVersion }) };
    try {
      await this.#api(resource, namespace).delete(name, { propagationPolicy: policy, preconditions });
      return 'deleted';
    } catch (caught) {
      if (isNotFound(caught)) return 'gone';
      if (isConflict(caught)) return 'changed';
      throw caught;
    }
  }

  /** Removes the owner references with these uids. */
  async disown(resource: ServedResource, object: ObjectIdentity, uids: readonly string[]): Promise<void> {
    const removed = uids.map((uid) => ({ $patch: 'delete', uid }));
    await this.#patchOwners(resource, object, removed, (owners) => owners.filter(({ uid }) => !uids.includes(uid)));
  }

  /** Sets `blockOwnerDeletion` of every owner reference to false. */
  async unblock(resource: ServedResource, object: ObjectIdentity, owners: readonly OwnerReference[]): Promise<void> {
    const unblocked = owners
      .filter(({ blockOwnerDeletion }) => blockOwnerDeletion)
      .map(({ apiVersion, kind, name, uid }) => ({ apiVersion, kind, name, uid, blockOwnerDeletion: false }));
    await this.#patchOwners(resource, object, unblocked, (all) =>
      all.map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    );
  }

  /** Removes a finalizer. Throws the conflict after CONFLICT_RETRIES retries. */
  async removeFinalizer(
    resource: ServedResource,
    { namespace, name, uid }: ObjectIdentity,
    finalizer: string,
  ): Promise<void> {
    const api = this.#api(resource, namespace);
    await retryOnConflict(async () => {
      const object = await api.find(name);
      const finalizers = object?.metadata.finalizers ?? [];
      if (object?.metadata.uid !== uid || !finalizers.includes(finalizer)) return;
      const { resourceVersion } = object.metadata;
      const kept = finalizers.filter((other) => other !== finalizer);
      await api.patch(name, { type: 'merge', body: { metadata: { resourceVersion, finalizers: kept } } });
    });
  }

  /**
   * Changes owner references by a strategic merge patch. Custom resources do not support it: their list of references
   * is read, changed and replaced.
   */
  async #patchOwners(
    resource: ServedResource,
    { namespace, name, uid }: ObjectIdentity,
    ownerReferences: readonly object[],
    change: (owners: readonly StoredReference[]) => readonly object[],
  ): Promise<void> {
    const api = this.#api(resource, namespace);
    try {
      await api.patch(name, { type: 'strategic', body: { metadata: { uid, ownerReferences } } });
    } catch (caught) {
      if (isNotFound(caught)) return;
      if (!isUnsupportedMediaType(caught)) throw caught;
      await retryOnConflict(() => replaceOwners(api, name, uid, change));
    }
  }

  #api(resource: ServedResource, namespace: string): Api<UntypedObject> {
    const kind = resource as Kind<UntypedObject>;
    return this.#client.api(kind, kind.scope === 'Namespaced' ? namespace : undefined);
  }
}

type StoredReference = NonNullable<Stored<UntypedObject>['metadata']['ownerReferences']>[number];

async function replaceOwners(
  api: Api<UntypedObject>,
  name: string,
  uid: string,
  change: (owners: readonly StoredReference[]) => readonly object[],
): Promise<void> {
  const object = await api.find(name);
  if (object?.metadata.uid !== uid) return;
  const { resourceVersion, ownerReferences = [] } = object.metadata;
  await api.patch(name, {
    type: 'merge',
    body: { metadata: { resourceVersion, ownerReferences: change(ownerReferences) } },
  });
}

async function retryOnConflict(write: () => Promise<void>): Promise<void> {
  for (let left = CONFLICT_RETRIES; ; left--) {
    try {
      await write();
      return;
    } catch (caught) {
      if (isNotFound(caught)) return;
      if (!isConflict(caught) || left === 0) throw caught;
    }
  }
}
