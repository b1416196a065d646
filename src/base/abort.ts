/** Helpers for AbortSignal. */

/** Returns the reason of an aborted signal, always as an Error. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason ?? 'aborted'), 'AbortError');
}

/**
 * Calls `listener` once when the signal aborts, or now if it has aborted already. The returned function removes the
 * listener. Without a signal nothing is called.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: Error) => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    listener(abortReason(signal));
    return () => {};
  }
  const handler = (): void => listener(abortReason(signal));
  signal.addEventListener('abort', handler, { once: true });
  return () => signal.removeEventListener('abort', handler);
}

/**
 * Settles as the promise does, or rejects with the reason of the signal if that aborts first. The work behind the
 * promise continues.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const remove = onAbort(signal, reject);
    promise.then(resolve, reject).finally(remove);
  });
}
