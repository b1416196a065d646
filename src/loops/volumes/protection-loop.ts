/**
 * The loop that protects objects in use: keeps a finalizer on every object of a kind, and removes it once the object is
 * being deleted and nothing uses it. Admission adds the finalizer to new objects; the loop adds it to older ones.
 */
import type { DeepReadonly, ObjectBase, Stored } from '../../client/object-types.ts';
import { keyOf, parseKey } from '../../controller/keys.ts';
import type { Kind } from '../../kinds/kind.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext } from '../loop.ts';
import { unlessChanged } from '../outdated-writes.ts';

export interface Protection<T> {
  readonly kind: Kind<T>;
  readonly finalizer: string;
  /**
   * Called for an object that is being deleted. It may call `loop.follow` with informers whose changes can end the use.
   */
  isInUse(object: Stored<T>, loop: KeyedLoop): Promise<boolean>;
}

/** Starts and returns the loop. */
export function protectionLoop<T extends ObjectBase>(context: LoopContext, protection: Protection<T>): KeyedLoop {
  const { kind, finalizer } = protection;
  const informer = context.informers.informer(kind);
  const loop = new KeyedLoop(context);
  loop.follow(informer, (object) => (isDone(object, finalizer) ? [] : [keyOf(object)]));
  return loop.start(context, {
    failure: `cannot protect ${kind.plural}, retrying`,
    sync: async (key) => {
      const object = informer.store.getByKey(key);
      if (object === undefined || isDone(object, finalizer)) return;
      const present = object.metadata.finalizers ?? [];
      const isDeleted = object.metadata.deletionTimestamp !== undefined;
      if (isDeleted && (await protection.isInUse(object, loop))) return;
      const finalizers = isDeleted ? present.filter((text) => text !== finalizer) : [...present, finalizer];
      const api = context.client.api(kind, parseKey(key).namespace);
      const changed = { ...(object as Stored<ObjectBase>), metadata: { ...object.metadata, finalizers } };
      await unlessChanged(api.update(changed as unknown as DeepReadonly<T>));
    },
  });
}

/** Whether the object has the finalizer that its state requires: present until the deletion, absent afterwards. */
function isDone({ metadata }: Stored<ObjectBase>, finalizer: string): boolean {
  const isProtected = metadata.finalizers?.includes(finalizer) ?? false;
  return isProtected !== (metadata.deletionTimestamp !== undefined);
}
