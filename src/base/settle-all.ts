/** Promises that run at the same time, for work that opens resources. */

/**
 * Waits until all promises have settled, and returns their values or throws the reason of the first one, in the order
 * of the list, that was rejected. Unlike `Promise.all`, nothing is still being opened when it throws.
 */
export async function settleAll<T extends readonly unknown[]>(
  promises: readonly [...T],
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  const settled = await Promise.allSettled(promises);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return Promise.all(promises);
}
