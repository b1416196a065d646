/** Runs a callback in the next turn of the event loop. Where there is no `setImmediate`, in a microtask. */
export function nextTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) queueMicrotask(callback);
  else setImmediate(callback);
}

/** Resolves in the next turn of the event loop, so that long work lets other work run. */
export function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}
