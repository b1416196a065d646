/** Writes of objects that a reconciled object controls: server-side apply, and createOrPatch. */
import { diffJson } from '../apimachinery/patch/json-patch-diff.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../apimachinery/status/status.ts';
import { BugError } from '../base/errors.ts';
import { cloneJson, type JsonObject } from '../base/json-value.ts';
import type { Client, JsonPatchOperation } from '../client/api.ts';
import type { Applied, DeepReadonly, Draft, Stored } from '../client/object-types.ts';
import { ownerReference } from '../client/owner-reference.ts';
import type { OwnerReference } from '../kinds/api/meta/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import { describeObject, type ObjectName } from './keys.ts';
import { checkOwnerScope, setControllerReference } from './owners.ts';
import type { CreateOrPatchResult } from './reconcile.ts';

/** The object that becomes the controller of written objects, with its kind. */
export interface Owner<T> {
  readonly kind: Kind<T>;
  readonly object: Stored<T>;
}

export interface WriteOwnedOptions<T> {
  readonly client: Client;
  /** The name of the field manager. */
  readonly manager: string;
  /** The namespace for objects that do not specify one. Undefined if the owner is cluster-scoped. */
  readonly namespace: string | undefined;
  /** Undefined: no owner reference is added. */
  readonly owner: Owner<T> | undefined;
}

export async function applyOwned<T, U>(
  kind: Kind<U>,
  configuration: Applied<U>,
  { client, manager, namespace: ownNamespace, owner }: WriteOwnedOptions<T>,
): Promise<Stored<U>> {
  const { metadata } = configuration;
  const namespace = namespaceFor(kind, metadata.name, metadata.namespace ?? ownNamespace);
  if (owner !== undefined) checkOwnerScope(owner.kind, owner.object, namespace);
  const others = (metadata.ownerReferences ?? []) as readonly OwnerReference[];
  const references = owner === undefined ? others : [...others, ownerReference(owner.object, { controller: true })];
  const complete = {
    ...(configuration as object),
    metadata: {
      ...metadata,
      ...(namespace === undefined ? {} : { namespace }),
      ...(references.length === 0 ? {} : { ownerReferences: references }),
    },
  };
  return client.api(kind, namespace).apply(complete as Applied<U>, { fieldManager: manager, force: true });
}

/** How often createOrPatch is attempted before it fails with the last conflict. */
const MAX_ATTEMPTS = 5;

/**
 * Reads the object from the server, lets `mutate` change a copy, and creates or patches the object. A patch contains
 * only the fields that changed. If the object has changed since it was read, the patch fails and everything is
 * repeated.
 */
export async function createOrPatch<T, U>(
  kind: Kind<U>,
  { name, namespace: given }: ObjectName,
  mutate: (draft: Draft<U>) => void,
  { client, manager, namespace: ownNamespace, owner }: WriteOwnedOptions<T>,
): Promise<CreateOrPatchResult<U>> {
  const namespace = namespaceFor(kind, name, given ?? ownNamespace);
  const api = client.api(kind, namespace);
  const change = (draft: JsonObject): JsonObject => {
    mutate(draft as Draft<U>);
    if (owner !== undefined) setControllerReference(owner.kind, owner.object, draft as object);
    return draft;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const before = await api.find(name);
      if (before === undefined) {
        const metadata: JsonObject = namespace === undefined ? { name } : { name, namespace };
        const object = await api.create(change({ metadata }) as DeepReadonly<U>, { fieldManager: manager });
        return { object, change: 'created' };
      }
      const old = before as unknown as JsonObject;
      const operations = diffJson(old, change(cloneJson(old))) as readonly JsonPatchOperation[];
      if (operations.length === 0) return { object: before, change: 'none' };
      // With the resourceVersion that was read, the server refuses the patch if the object has changed since.
      const guard = {
        op: 'replace',
        path: '/metadata/resourceVersion',
        value: before.metadata.resourceVersion,
      } as const;
      const patch = { type: 'json', operations: [guard, ...operations] } as const;
      return { object: await api.patch(name, patch, { fieldManager: manager }), change: 'patched' };
    } catch (caught) {
      const raced = isConflict(caught) || isAlreadyExists(caught) || isNotFound(caught);
      if (!raced || attempt === MAX_ATTEMPTS) throw caught;
    }
  }
}

/**
 * Returns the namespace of the object; undefined for a cluster-scoped kind. Throws BugError if a namespaced kind has no
 * namespace.
 */
function namespaceFor(kind: Kind<unknown>, name: string, namespace: string | undefined): string | undefined {
  if (kind.scope === 'Cluster') return undefined;
  if (namespace === undefined || namespace === '')
    throw new BugError(`${describeObject(kind, name)} needs metadata.namespace: its owner is cluster-scoped`);
  return namespace;
}
