/** Makes the records of the owner graph from stored objects and from objects that a client has read. */
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/validation/validate-object-meta.ts';
import type { Stored, UntypedObject } from '../../client/object-types.ts';
import type { StoredMetadata } from '../stored-metadata.ts';
import type { ObjectRecord, OwnerReference } from './owner-graph.ts';

export function recordOf(metadata: StoredMetadata, revision: number): ObjectRecord {
  const { apiVersion, kind, namespace, name, uid, beingDeleted } = metadata;
  const finalizers = metadata.finalizers();
  return {
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    resourceVersion: String(revision),
    owners: ownersOf(metadata.ownerReferences()),
    beingDeleted,
    orphans: finalizers.includes(FINALIZER_ORPHAN),
    foreground: finalizers.includes(FINALIZER_FOREGROUND),
  };
}

/** The record of an object that a server returned. */
export function recordOfObject({ apiVersion = '', kind = '', metadata }: Stored<UntypedObject>): ObjectRecord {
  const finalizers = metadata.finalizers ?? [];
  return {
    apiVersion,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    owners: ownersOf(metadata.ownerReferences ?? []),
    beingDeleted: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
    orphans: finalizers.includes(FINALIZER_ORPHAN),
    foreground: finalizers.includes(FINALIZER_FOREGROUND),
  };
}

/** Reads owner references. Values that are not objects are left out; validation keeps them from being stored. */
export function ownersOf(references: readonly unknown[]): readonly OwnerReference[] {
  return references.filter(isObject).map(({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    uid: String(uid),
    blockOwnerDeletion: blockOwnerDeletion === true,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
