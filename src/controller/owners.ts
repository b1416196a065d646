/**
 * Reads and sets owner references.
 * Invariants, which garbage collection requires: a namespaced owner owns only objects of its own namespace; a
 * cluster-scoped owner may own any object; an object has at most one controller.
 */
import { BugError } from '../base/errors.ts';
import type { Stored } from '../client/object-types.ts';
import { controllerReferenceOf, ownerReference } from '../client/owner-reference.ts';
import type { OwnerReference } from '../kinds/api/meta/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import { describeObject, keyOf, type ObjectName } from './keys.ts';

/** An owner as it is named in an owner reference. */
export interface OwnerKey extends ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
}

interface HasOwners {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly Readonly<OwnerReference>[];
  };
}

export interface OwnedMeta {
  name?: string;
  namespace?: string | undefined;
  ownerReferences?: OwnerReference[];
}

/**
 * Makes `owner` the controller of an object, by changing the object's metadata before it is written. Throws BugError if
 * the owner may not own an object of that namespace, or if the object has another controller.
 */
export function setControllerReference<T>(
  ownerKind: Kind<T>,
  owner: Stored<T>,
  object: { metadata?: OwnedMeta },
): void {
  object.metadata ??= {};
  const { metadata } = object;
  checkOwnerScope(ownerKind, owner, metadata.namespace);
  const references = metadata.ownerReferences ?? [];
  metadata.ownerReferences = references;
  const controller = references.find((reference) => reference.controller === true);
  if (controller !== undefined && controller.uid !== owner.metadata.uid)
    throw new BugError(
      `${metadata.name ?? 'the object'} is already controlled by ${controller.kind} ${controller.name}`,
    );
  const own = ownerReference(owner, { controller: true });
  const index = references.findIndex((reference) => reference.uid === own.uid);
  if (index < 0) references.push(own);
  else references[index] = own;
}

/**
 * Throws BugError if the owner may not own objects of the namespace. `namespace` is undefined for cluster-scoped
 * objects.
 */
export function checkOwnerScope<T>(ownerKind: Kind<T>, owner: Stored<T>, namespace: string | undefined): void {
  const own = owner.metadata.namespace;
  if (ownerKind.scope === 'Cluster' || own === namespace) return;
  const place = namespace === undefined || namespace === '' ? 'a cluster-scoped object' : `an object in ${namespace}`;
  throw new BugError(
    `${describeObject(ownerKind, keyOf(owner))} cannot own ${place}: the garbage collector would delete it; ` +
      'pass { owner: false } and remove the object in a finalizer',
  );
}

/** Returns the owner that controls an object; undefined if there is none. */
export function controllerOf(object: HasOwners): OwnerKey | undefined {
  const reference = controllerReferenceOf(object);
  return reference === undefined ? undefined : ownerKey(object, reference);
}

/**
 * Returns all owners of an object, for use as the mapper of a watch. Their namespace is that of the object; an operator
 * for a cluster-scoped kind ignores it. Every operator ignores owners of other kinds.
 */
export function ownersOf(object: HasOwners): readonly OwnerKey[] {
  return (object.metadata.ownerReferences ?? []).map((reference) => ownerKey(object, reference));
}

function ownerKey(object: HasOwners, { apiVersion, kind, name }: Readonly<OwnerReference>): OwnerKey {
  return { apiVersion, kind, name, namespace: object.metadata.namespace };
}

/** Whether the reference names an object of the kind, in any version. */
export function isOwnerOfKind(owner: OwnerKey, kind: Kind<unknown>): boolean {
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : owner.apiVersion.slice(0, slash);
  return owner.kind === kind.kind && group === kind.group;
}
