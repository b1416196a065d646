/** Makes and reads owner references of objects. */
import type { OwnerReference } from '../kinds/api/meta/v1.ts';
import type { DeepReadonly } from './object-types.ts';

/** The fields of an owner that a reference contains. Every object that was read has them. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** The fields of an object that contain its owner references. */
export interface Owned {
  readonly metadata?: { readonly ownerReferences?: readonly DeepReadonly<OwnerReference>[] };
}

export interface OwnerReferenceOptions {
  /** Whether the owner controls the object. An object has at most one controller. Default false. */
  readonly controller?: boolean;
  /** Whether a foreground deletion of the owner waits for the object. Default: the value of `controller`. */
  readonly blockOwnerDeletion?: boolean;
}

/** Makes the reference to an owner, for `metadata.ownerReferences`. Fields that are false are left out. */
export function ownerReference(owner: Owner, options: OwnerReferenceOptions = {}): OwnerReference {
  const { controller = false, blockOwnerDeletion = controller } = options;
  const { apiVersion, kind, metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    ...(controller ? { controller } : {}),
    ...(blockOwnerDeletion ? { blockOwnerDeletion } : {}),
  };
}

/** Returns the reference to the controller of an object; undefined if it has none. */
export function controllerReferenceOf(object: Owned): DeepReadonly<OwnerReference> | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether the owner controls the object. Compares uids, because an owner with the same name may be another object. */
export function isControlledBy(object: Owned, owner: Pick<Owner, 'metadata'>): boolean {
  return controllerReferenceOf(object)?.uid === owner.metadata.uid;
}
