/**
 * The states, inputs and effects of the list-then-watch protocol. All of them are plain data. Invariant: exactly one
 * request, watch or timer is in progress in each phase except `idle` and `stopped`.
 */
import type { Backoff, ResettingBackoffPolicy } from '../../base/backoff.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ChangeEvent, WatchEvent } from './watch-event.ts';
import type { Failure } from './watch-failure.ts';

export interface ListWatchOptions {
  /**
   * Whether to begin with a streaming list (`sendInitialEvents`). The protocol falls back to pages if the server
   * refuses it.
   */
  readonly streamingList: boolean;
  /** Whether the first list may return any state the server has (`resourceVersion=0`), or must return the newest. */
  readonly firstList: 'any' | 'newest';
  /**
   * Objects per page. `automatic` is client-go's rule: pages of 500, but none if a revision is named, unless the server
   * has paged the list at revision 0, which shows that it has no cache. 0 means no pages.
   */
  readonly pageSize: number | 'automatic';
  /** Each watch asks the server to end it after a random time between these. */
  readonly watchTimeoutSeconds: { readonly min: number; readonly max: number };
  readonly backoff: ResettingBackoffPolicy;
}

/** The state that all phases share. */
export interface Memory {
  readonly options: ListWatchOptions;
  /** The number of the last request, watch or timer. */
  readonly turn: number;
  /** The newest delivered revision. A watch resumes after it. '' before the first list. */
  readonly revision: string;
  /** Whether the server does not have `revision` any more, or not yet. The next list then asks for the newest state. */
  readonly unavailable: boolean;
  /** Whether the server has paged a list at revision 0. */
  readonly paginated: boolean;
  readonly backoff: Backoff;
}

export type State =
  /** Before `start`. */
  | { readonly phase: 'idle'; readonly options: ListWatchOptions }
  /** A page has been requested. */
  | {
      readonly phase: 'listing';
      readonly memory: Memory;
      /** The revision that the first page asked for. */
      readonly requested: string;
      readonly limit: number;
      /** The revision of the first page, which is that of the list; undefined until it arrives. */
      readonly revision: string | undefined;
      /** Whether the list was requested again without pages because a continue token expired. */
      readonly full: boolean;
    }
  /** A watch with initial events is open. The bookmark that completes them has not arrived. */
  | { readonly phase: 'streaming'; readonly memory: Memory; readonly startedAt: number; readonly events: number }
  | {
      readonly phase: 'watching';
      readonly memory: Memory;
      readonly startedAt: number;
      /** Whether the watch has moved the revision. */
      readonly progress: boolean;
      /** The watch began without a revision, so ADDED events have no order and must not move the revision. */
      readonly unordered: boolean;
    }
  /** A timer is running. `next` is what follows. */
  | { readonly phase: 'waiting'; readonly memory: Memory; readonly next: 'restart' | 'list' | 'watch' }
  | { readonly phase: 'stopped' };

export type Phase = State['phase'];

/**
 * `turn` is the number of the request, watch or timer that an input answers. An answer to any but the last is ignored.
 */
export type Input<T = JsonObject> =
  | { readonly type: 'start' }
  | {
      readonly type: 'page';
      readonly turn: number;
      readonly items: readonly T[];
      readonly resourceVersion: string;
      /** '' on the last page. */
      readonly continueToken: string;
    }
  | { readonly type: 'list-failed'; readonly turn: number; readonly failure: Failure }
  | { readonly type: 'event'; readonly turn: number; readonly event: WatchEvent<T> }
  /** Events that arrived together. The same as one input per event, but without a step for each. */
  | { readonly type: 'events'; readonly turn: number; readonly events: readonly WatchEvent<T>[] }
  /** The server ended the watch, by its timeout or a shutdown. */
  | { readonly type: 'watch-ended'; readonly turn: number }
  /** The watch could not be opened, or broke. */
  | { readonly type: 'watch-failed'; readonly turn: number; readonly failure: Failure }
  | { readonly type: 'elapsed'; readonly turn: number }
  | { readonly type: 'stop' };

export interface ListEffect {
  readonly type: 'list';
  readonly turn: number;
  /** '' means the newest state; the parameter is then left out of the request. */
  readonly resourceVersion: string;
  /** 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
}

/** The driver always allows bookmarks. `sendInitialEvents` implies `resourceVersionMatch=NotOlderThan`. */
export interface WatchEffect {
  readonly type: 'watch';
  readonly turn: number;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number;
}

/**
 * The notifications to the consumer of the objects, in order. From `init` to `init-done` the consumer fills a buffer; a
 * second `init` empties it. At `init-done` the buffer replaces the consumer's store in one step, and objects that are
 * only in the old store have been deleted. After `init-done` each change is delivered once; changes of one object are
 * in the order of revisions.
 */
export type Delivery<T = JsonObject> =
  | { readonly type: 'init' }
  | { readonly type: 'init-apply'; readonly object: T }
  | { readonly type: 'init-delete'; readonly object: T }
  | { readonly type: 'init-done'; readonly resourceVersion: string }
  | { readonly type: 'apply'; readonly object: T }
  /** The consumer may not know the object and must ignore this then. */
  | { readonly type: 'delete'; readonly object: T }
  /** Several `init-apply` and `init-delete`, in order. */
  | { readonly type: 'init-changes'; readonly events: readonly ChangeEvent<T>[] }
  /** Several `apply` and `delete`, in order. */
  | { readonly type: 'changes'; readonly events: readonly ChangeEvent<T>[] }
  | { readonly type: 'bookmark'; readonly resourceVersion: string };

export type Effect<T = JsonObject> =
  | ListEffect
  | WatchEffect
  | { readonly type: 'wait'; readonly turn: number; readonly ms: number }
  /** The driver must end the request, watch or timer of this turn. */
  | { readonly type: 'cancel'; readonly turn: number }
  /** A failure for the log. The protocol has already handled it. */
  | { readonly type: 'report'; readonly failure: Failure }
  | Delivery<T>;

/** The time of an input and a random number in [0, 1). The protocol has no other source of either. */
export interface Tick {
  readonly now: number;
  readonly random: number;
}

export interface Step<T = JsonObject> {
  readonly state: State;
  readonly effects: readonly Effect<T>[];
}
