/**
 * Adds and removes finalizers. Invariants: a change names the revision that it was decided on, so that it never undoes a
 * change of another program; it never creates an object.
 */
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';
import type { Api } from '../client/api.ts';
import type { Stored } from '../client/object-types.ts';

export interface FinalizerChange {
  readonly add?: readonly string[];
  readonly remove?: string;
  readonly fieldManager: string;
}

/** How often a change is decided again after a conflict before it fails with that conflict. */
const MAX_ATTEMPTS = 5;

/**
 * Changes the finalizers of an object. Begins with the given state; after a conflict it reads the object from the
 * server. Resolves with the new state, or with undefined if the object, or its present incarnation, is gone. Nothing is
 * sent if there is nothing to change, and no finalizer is added to an object that is being deleted: the server would
 * refuse it.
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

/** The finalizers after the change, or undefined if it changes nothing. */
function changed({ metadata }: Stored<unknown>, { add = [], remove }: FinalizerChange): string[] | undefined {
  const present: readonly string[] = metadata.finalizers ?? [];
  const missing = metadata.deletionTimestamp === undefined ? add.filter((name) => !present.includes(name)) : [];
  const kept = present.filter((name) => name !== remove);
  return missing.length === 0 && kept.length === present.length ? undefined : [...kept, ...missing];
}
