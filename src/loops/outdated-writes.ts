/**
 * Writes of loops that may be based on an outdated object. Their failure needs no retry: the informer reports the newer
 * state.
 */
import { isConflict, isNotFound } from '../apimachinery/status/status.ts';

/** Waits for a write. A missing object is not a failure. */
export async function unlessGone(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (caught) {
    if (!isNotFound(caught)) throw caught;
  }
}

/** Waits for a write. Neither a missing object nor a conflict is a failure. */
export async function unlessChanged(writing: Promise<unknown>): Promise<void> {
  try {
    await unlessGone(writing);
  } catch (caught) {
    if (!isConflict(caught)) throw caught;
  }
}
