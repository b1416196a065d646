/** The keys of objects, as informers and work queues use them: `namespace/name`, or `name` in the cluster. */
import type { ObjectKey } from '../client/informer.ts';
import type { Kind } from '../kinds/kind.ts';

export { objectKeyOf as keyOf } from '../client/indexed-store.ts';

/** The name and namespace of an object. `namespace` is absent for a cluster-scoped object. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

export function formatKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function parseKey(key: ObjectKey): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Formats an object for messages: `Foo default/web`. */
export function describeObject(kind: Kind<unknown>, key: ObjectKey): string {
  return `${kind.kind} ${key}`;
}

/** Identifies a kind: `apps/v1/deployments`. */
export function kindId(kind: Kind<unknown>): string {
  return `${kind.group}/${kind.version}/${kind.plural}`;
}
