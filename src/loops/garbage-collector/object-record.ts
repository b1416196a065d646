/** The records of the owner graph, made from the metadata of stored objects. */
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/validation/validate-object-meta.ts';
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

/** Values that are no owner references are left out: validation has refused them before they were stored. */
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
