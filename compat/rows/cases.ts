/** A case of this suite, and its runner. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

/** A case that waits longer for something than this has failed. */
const TIMEOUT_MS = 20_000;

/**
 * Runs the cases one after the other. Returns how many failed. With `timeoutMs` Infinity a case has no limit: it finds out
 * itself that it does not go on.
 */
export async function runCases(
  subject: string,
  cases: readonly Case[],
  timeoutMs: number = TIMEOUT_MS,
): Promise<number> {
  let failed = 0;
  for (const { name, run } of cases) {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        if (timeoutMs !== Number.POSITIVE_INFINITY)
          timer = setTimeout(() => reject(new Error(`not finished after ${timeoutMs} ms`)), timeoutMs);
      });
      await Promise.race([run(), late]);
    } catch (caught) {
      failed++;
      console.log(`FAIL ${subject}: ${name}\n${(caught as Error).stack}`);
    } finally {
      clearTimeout(timer);
    }
  }
  console.log(`${subject}: ${cases.length - failed} of ${cases.length} cases`);
  return failed;
}
