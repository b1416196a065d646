/**
 * Adds and removes finalizers.
 * Invariants: a change names the resourceVersion that it is based on, so it never reverts a change of another program.
 * It never creates an object.
 */
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';
import type { Api } from '../client/api.ts';
import type { Stored } from '../client/object-types.ts';

export interface FinalizerChange {
  readonly add?: readonly string[];
  readonly remove?: string;
  readonly fieldManager: string;
}

/** How often a change is attempted before it fails with the last conflict. */
const MAX_ATTEMPTS = 5;

/**
 * Changes the finalizers of an object. The first attempt is based on the given state; after a conflict the object is
 * read from the server. Resolves with the new state; with undefined if the object no longer exists or has another uid.
 * Sends nothing if there is nothing to change. Adds no finalizer to an object that is being deleted, because the server
 * would refuse it.
 */
export async function changeFinalizers<T>(
  api: Api<T>,
  object: Stored<T>,
  change: FinalizerChange,
): Promise<Stored<T> | undefined> {
  const { name, uid } = object.metadata;
  let now: Stored<T> | undefined = object;
  for (let attempt = 1; ; attempt++) {
    const finalizers = changed(now, change);
    if (finalizers === undefined) return now;
    const body = { metadata: { resourceVersion: now.metadata.resourceVersion, finalizers } };
    try {
      return await api.patch(name, { type: 'merge', body }, { fieldManager: change.fieldManager });
    } catch (caught) {
      if (isNotFound(caught)) return undefined;
      if (!isConflict(caught) || attempt === MAX_ATTEMPTS) throw caught;
      now = await api.find(name);
      if (now === undefined || now.metadata.uid !== uid) return undefined;
    }
  }
}

/** Returns the finalizers after the change; undefined if nothing changes. */
function changed({ metadata }: Stored<unknown>, { add = [], remove }: FinalizerChange): string[] | undefined {
  const present: readonly string[] = metadata.finalizers ?? [];
  const missing = metadata.deletionTimestamp === undefined ? add.filter((name) => !present.includes(name)) : [];
  const kept = present.filter((name) => name !== remove);
  return missing.length === 0 && kept.length === present.length ? undefined : [...kept, ...missing];
}
