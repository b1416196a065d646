/** Helpers around AbortSignal. Invariant: each leaves no listener behind once it is done. */

/** The reason of an aborted signal, always as an Error. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason ?? 'aborted'), 'AbortError');
}

/** Runs `listener` once when the signal aborts (at once if it has already); the returned function takes it back. */
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
