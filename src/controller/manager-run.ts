/** One run of a manager: its parts, the signals that end them, and the first failure. */
import { onAbort } from '../base/abort.ts';
import { Deferred } from '../base/deferred.ts';
import { toError } from '../base/errors.ts';
import type { LeaderTerm } from '../client/leader-term.ts';
import { derivedSignal } from './derived-signal.ts';
import type { RunContext, Runnable } from './runnable.ts';

export class ManagerRun {
  readonly #stop = new AbortController();
  readonly #fence = new AbortController();
  readonly #ended = new Deferred<void>();
  readonly #parts = new Map<Promise<void>, string>();
  readonly #release: () => void;
  #failure: Error | undefined;

  constructor(signal: AbortSignal) {
    this.#release = onAbort(signal, (reason) => this.#stop.abort(reason));
    this.#stop.signal.addEventListener('abort', () => this.#ended.resolve(), { once: true });
    if (this.#stop.signal.aborted) this.#ended.resolve();
  }

  /** Aborts when the run has to end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves when the run has to end. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Starts parts. The first part that fails ends the run. */
  start(runnables: readonly Runnable[], context: RunContext = this.#context): void {
    for (const runnable of runnables) void this.track(runnable.name, this.#guard(runnable, context));
  }

  /**
   * Runs parts for one term as leader. Resolves when the term or the run has ended, and all parts have. Rejects with
   * the failure of a part after the other parts were stopped.
   */
  async lead(runnables: readonly Runnable[], term: LeaderTerm): Promise<void> {
    const failed = new AbortController();
    const signal = derivedSignal(term.signal, failed.signal);
    const fence = derivedSignal(term.lost, this.#fence.signal);
    let failure: Error | undefined;
    const parts = runnables.map(async (runnable) => {
      try {
        await this.#guard(runnable, { signal, fence });
      } catch (caught) {
        failure ??= toError(caught);
        failed.abort(failure);
      }
    });
    const ended = new Deferred<void>();
    const release = onAbort(signal, () => ended.resolve());
    await ended.promise;
    release();
    await Promise.all(parts);
    if (failure !== undefined) throw failure;
  }

  /** Adds a promise as a part: `settled` waits for it, and its rejection ends the run. */
  async track(name: string, part: Promise<void>): Promise<void> {
    const watched = part.then(
      () => undefined,
      (caught) => this.fail(toError(caught)),
    );
    this.#parts.set(watched, name);
    await watched;
    this.#parts.delete(watched);
  }

  /** Ends the run with a failure. Only the first failure is kept. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.stop();
  }

  stop(): void {
    this.#release();
    this.#stop.abort(STOPPED());
  }

  cut(reason: Error): void {
    this.#fence.abort(reason);
  }

  /** The names of the parts that have not ended. */
  names(): readonly string[] {
    return [...this.#parts.values()];
  }

  /** Resolves when every part has ended. Never rejects. */
  async settled(): Promise<void> {
    while (this.#parts.size > 0) await Promise.all(this.#parts.keys());
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  get #context(): RunContext {
    return { signal: this.#stop.signal, fence: this.#fence.signal };
  }

  /** Runs a part. A rejection with the reason of its aborted signal is not a failure. */
  async #guard(runnable: Runnable, context: RunContext): Promise<void> {
    try {
      await runnable.run({ signal: derivedSignal(context.signal), fence: derivedSignal(context.fence) });
    } catch (caught) {
      if (!context.signal.aborted) throw caught;
    }
  }
}

const STOPPED = (): DOMException => new DOMException('the manager stops', 'AbortError');
