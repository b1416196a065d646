/** Signals that follow another one. */
import { readThrough } from '../client/leader-term.ts';

/**
 * A signal of its own for one listener or request. Node warns about a leak when more than ten listeners are added to one
 * signal, which a reconcile with parallel requests does. A read of the result reads the sources, so that the deadline of
 * a lease is checked also if no timer has fired.
 */
export function derivedSignal(...sources: readonly AbortSignal[]): AbortSignal {
  return readThrough(AbortSignal.any([...sources]), () => void sources.some(({ aborted }) => aborted));
}
