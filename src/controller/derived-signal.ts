/** Signals that are derived from other signals. */
import { readThrough } from '../client/leader-term.ts';

/**
 * Returns a separate signal for one listener or request. Node warns about a leak when more than ten listeners are added
 * to one signal, which happens in a reconcile with parallel requests. A read of the result also reads the sources, so
 * that the deadline of a lease is checked even if no timer has fired.
 */
export function derivedSignal(...sources: readonly AbortSignal[]): AbortSignal {
  return readThrough(AbortSignal.any([...sources]), () => void sources.some(({ aborted }) => aborted));
}
