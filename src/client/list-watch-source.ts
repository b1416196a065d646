/** The requests that a reflector sends: pages of a list, and watches. Implemented over a Transport, and by tests. */
import type { ListEffect, WatchEffect } from '../apimachinery/watch/list-watch-state.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';

export interface SourcePage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
}

export interface SourceCall {
  /** Cancels the request, which then rejects. */
  readonly signal: AbortSignal;
  /** Called by the source for each sign of life: the head of the response, or a part of its body. */
  readonly onAlive: () => void;
}

/**
 * Both methods reject with a StatusError if the server refuses the request, with a TransportError if the connection
 * breaks, and with a TransportError that is not retryable if the response cannot be read.
 */
export interface ListWatchSource<T> {
  list(request: ListEffect, call: SourceCall): Promise<SourcePage<T>>;
  /**
   * Calls `onEvents` with the events of each part of the response, in order. Resolves when the server ends the watch.
   * ERROR events are delivered, too.
   */
  watch(
    request: WatchEffect,
    call: SourceCall & { readonly onEvents: (events: readonly WatchEvent<T>[]) => void },
  ): Promise<void>;
}
