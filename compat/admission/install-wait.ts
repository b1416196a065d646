/** The wait until a server uses the configurations that were just installed. */

/**
 * The limit for each wait. kube-apiserver reads a new configuration within about a second, the paths of the schemas
 * every 5 s and the kinds of its REST mapper every 30 s; on a loaded machine each of them may miss a round.
 */
const LIMIT_MS = 120_000;
const PAUSE_MS = 100;

/** A server that does not use its configurations in time. The batch can be repeated on fresh servers. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}

/** Calls `missing` until it returns an empty list. Throws an InstallError that names the last list after the limit. */
export async function waitUntil(server: string, missing: () => Promise<readonly string[]>): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const left = await missing();
    if (left.length === 0) return;
    if (Date.now() > end) throw new InstallError(`${server} does not use ${left.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
