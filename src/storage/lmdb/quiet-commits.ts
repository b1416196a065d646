/**
 * A workaround for lmdb, which prints the error of a failed commit with `console.error` before it rejects the commit
 * (`startWriting` in its `write.js`). The driver reports the rejection, so this file suppresses the print.
 */

/** The method of lmdb's environment that starts a commit. A `status` above 2 or below 0 is an error code. */
interface WritingEnvironment {
  startWriting?(address: number, callback: (status: number) => unknown): unknown;
}

/** The highest status that is not an error. 0 is done, 1 is progress, 2 requests the transaction callbacks. */
const LAST_SUCCESS = 2;

/** Suppresses the prints of failed commits of one environment. Other uses of the console are not affected. */
export function quietCommits(environment: WritingEnvironment): void {
  const start = environment.startWriting?.bind(environment);
  if (start === undefined) return;
  const quiet = (address: number, callback: (status: number) => unknown): unknown =>
    start(address, (status) => {
      if (status >= 0 && status <= LAST_SUCCESS) return callback(status);
      // The callback is synchronous and runs only code of lmdb: it prints the error and rejects promises.
      // biome-ignore lint/suspicious/noConsole: lmdb uses it.
      const print = console.error;
      console.error = () => undefined;
      try {
        return callback(status);
      } finally {
        console.error = print;
      }
    });
  // Native methods cannot be assigned to.
  Object.defineProperty(environment, 'startWriting', { value: quiet });
}
