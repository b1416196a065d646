/** Maps a change of a watched object to the keys to reconcile. */
import { BugError } from '../base/errors.ts';
import type { Informer, ObjectKey } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import type { MappedKey, Mapper, References, WatchDefinition } from './definition.ts';
import { formatKey, keyOf, kindId } from './keys.ts';
import { controllerOf, isOwnerOfKind, type OwnerKey } from './owners.ts';

/** Returns the keys of the operator's kind for one state of a watched object. Throws the errors of the mapper. */
export type KeysOf = (object: Stored<unknown>) => Iterable<ObjectKey>;

/**
 * Makes the KeysOf of a watch. `primary` is the informer of the operator's kind, to which the index for a watch by
 * references is added.
 */
export function createKeysOf<T>(watch: WatchDefinition<T>, primary: Informer<T>, index: string): KeysOf {
  const { kind } = primary;
  if (watch.map === 'owner') return (object) => toKeys(ownedBy(object), object, kind);
  if (typeof watch.map === 'function')
    return (object) => toKeys(callMapper(watch.map as Mapper<T, unknown>, object, primary), object, kind);
  addReferenceIndex(primary, index, watch.map, watch.kind);
  return (object) => primary.store.byIndex(index, keyOf(object)).map(keyOf);
}

/** The name of the index of an operator's references to a kind. */
export function referenceIndex(operator: string, position: number, kind: Kind<unknown>): string {
  return `${operator} refers to ${kindId(kind)} (${position})`;
}

function ownedBy(object: Stored<unknown>): readonly MappedKey[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner];
}

function callMapper<T>(map: Mapper<T, unknown>, object: Stored<unknown>, primary: Informer<T>): Iterable<MappedKey> {
  const keys: unknown = map(object, { objects: primary.store });
  if (keys === undefined || keys === null) return [];
  if (typeof keys === 'object' && Symbol.iterator in keys) return keys as Iterable<MappedKey>;
  throw new BugError(`a mapper must return a list of keys, not ${typeof keys}`);
}

function* toKeys(mapped: Iterable<MappedKey>, from: Stored<unknown>, kind: Kind<unknown>): Iterable<ObjectKey> {
  for (const one of mapped) {
    const key = toKey(one, from, kind);
    if (key !== undefined) yield key;
  }
}

function toKey(mapped: MappedKey, from: Stored<unknown>, kind: Kind<unknown>): ObjectKey | undefined {
  const own = from.metadata.namespace;
  if (typeof mapped === 'string') {
    if (kind.scope === 'Cluster' || mapped.includes('/')) return mapped;
    return requireNamespace(own, mapped, kind);
  }
  if ('apiVersion' in mapped && !isOwnerOfKind(mapped as OwnerKey, kind)) return undefined;
  if (typeof mapped.name !== 'string' || mapped.name === '')
    throw new BugError('a mapper returned a key without a name');
  return kind.scope === 'Cluster' ? mapped.name : requireNamespace(mapped.namespace ?? own, mapped.name, kind);
}

function requireNamespace(namespace: string | undefined, name: string, kind: Kind<unknown>): ObjectKey {
  if (namespace === undefined || namespace === '')
    throw new BugError(`a mapper returned ${kind.kind} ${name} without a namespace`);
  return formatKey(namespace, name);
}

function addReferenceIndex<T>(
  primary: Informer<T>,
  name: string,
  { referencedBy }: References<T>,
  to: Kind<unknown>,
): void {
  primary.addIndex(name, (object) => {
    const references = referencedBy(object);
    const list = references === undefined ? [] : typeof references === 'string' ? [references] : references;
    if (to.scope === 'Cluster') return list;
    return list.map((one) => (one.includes('/') ? one : formatKey(object.metadata.namespace, one)));
  });
}
