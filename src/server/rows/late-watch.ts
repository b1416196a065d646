/** A watch that was requested before the rows were listed. It begins once they are listed. */
import { GuardedSink } from '../../storage/guarded-sink.ts';
import type { Storage, Watch, WatchEnd, WatchOptions, WatchSink } from '../../storage/storage.ts';

export class LateWatch implements Watch {
  readonly #options: WatchOptions;
  readonly #sink: WatchSink;
  readonly #guarded: GuardedSink;
  #watch: Watch | undefined;
  #progressAsked = false;

  /** `onEnd` is called when the watch begins or ends. */
  constructor(options: WatchOptions, sink: WatchSink, onEnd: (watch: LateWatch) => void) {
    this.#options = options;
    this.#sink = sink;
    this.#guarded = new GuardedSink(sink, () => onEnd(this));
    this.#onBegin = () => onEnd(this);
  }

  readonly #onBegin: () => void;

  begin(storage: Storage): void {
    if (this.#guarded.over) return;
    this.#onBegin();
    this.#watch = storage.watch(this.#options, this.#sink);
    if (this.#progressAsked) this.#watch.requestProgress();
  }

  fail(error: Error): void {
    if (this.#watch === undefined) this.#guarded.finish({ reason: 'failed', error });
  }

  close(): void {
    this.#end({ reason: 'closed' });
  }

  stop(): void {
    if (this.#watch === undefined) this.#end({ reason: 'stopped' });
    else this.#watch.stop();
  }

  requestProgress(): void {
    this.#progressAsked = true;
    this.#watch?.requestProgress();
  }

  #end(reason: WatchEnd): void {
    if (this.#watch === undefined) this.#guarded.finish(reason);
  }
}
