/**
 * The vocabulary of the list-then-watch protocol: its states, what happens to it, and what it asks for. Invariant: everything is plain
 * data, and exactly one request, watch or timer is in progress in each phase but `idle` and `stopped`.
 */
import type { Backoff, ResettingBackoffPolicy } from '../../base/backoff.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { WatchEvent } from './watch-event.ts';
import type { Failure } from './watch-failure.ts';

export interface ListWatchOptions {
  /** Begin with a streaming list (`sendInitialEvents`) and fall back to pages where the server refuses it. */
  readonly streamingList: boolean;
  /** The first list may be answered from any state the server has (`resourceVersion=0`), or must be the newest. */
  readonly firstList: 'any' | 'newest';
  /**
   * Objects per page. 'automatic' is client-go's rule: pages of 500, but none when a revision is named, unless the server paged the list
   * at revision 0 before (which tells that it has no cache to answer from). 0 means no pages.
   */
  readonly pageSize: number | 'automatic';
  /** A watch is asked to end after a random time between these. */
  readonly watchTimeoutSeconds: { readonly min: number; readonly max: number };
  readonly backoff: ResettingBackoffPolicy;
}

/** What the machine remembers across phases. */
export interface Memory {
  readonly options: ListWatchOptions;
  /** The number of the request, watch or timer asked for last. */
  readonly turn: number;
  /** The newest revision that was delivered: a watch resumes after it. Empty before the first list. */
  readonly revision: string;
  /** The server no longer knows, or does not yet know, `revision`: the next list asks for the newest state instead. */
  readonly unavailable: boolean;
  /** The server paged a list at revision 0. */
  readonly paginated: boolean;
  readonly backoff: Backoff;
}

export type State =
  /** Before `start`. */
  | { readonly phase: 'idle'; readonly options: ListWatchOptions }
  /** A page is on its way. */
  | {
      readonly phase: 'listing';
      readonly memory: Memory;
      /** The revision the first page asked for. */
      readonly requested: string;
      readonly limit: number;
      /** The revision of the first page, which is the revision of the list; undefined until it is here. */
      readonly revision: string | undefined;
      /** True once the list was asked for again without pages, because a continue token expired. */
      readonly full: boolean;
    }
  /** A watch with initial events is open; the bookmark that completes them is not here yet. */
  | { readonly phase: 'streaming'; readonly memory: Memory; readonly startedAt: number; readonly events: number }
  | {
      readonly phase: 'watching';
      readonly memory: Memory;
      readonly startedAt: number;
      /** True once the watch moved the revision. */
      readonly progress: boolean;
      /** The watch began at no particular revision, so ADDED events come in no order and must not move the revision. */
      readonly unordered: boolean;
    }
  /** A timer runs; `next` says what follows. */
  | { readonly phase: 'waiting'; readonly memory: Memory; readonly next: 'restart' | 'list' | 'watch' }
  | { readonly phase: 'stopped' };

export type Phase = State['phase'];

/** `turn` names the request, watch or timer that an input answers; an answer to any but the last is ignored. */
export type Input<T = JsonObject> =
  | { readonly type: 'start' }
  | {
      readonly type: 'page';
      readonly turn: number;
      readonly items: readonly T[];
      readonly resourceVersion: string;
      /** Empty on the last page. */
      readonly continueToken: string;
    }
  | { readonly type: 'list-failed'; readonly turn: number; readonly failure: Failure }
  | { readonly type: 'event'; readonly turn: number; readonly event: WatchEvent<T> }
  /** The server ended the watch, by its timeout or a shutdown. */
  | { readonly type: 'watch-ended'; readonly turn: number }
  /** The watch could not be opened, or broke. */
  | { readonly type: 'watch-failed'; readonly turn: number; readonly failure: Failure }
  | { readonly type: 'elapsed'; readonly turn: number }
  | { readonly type: 'stop' };

export interface ListEffect {
  readonly type: 'list';
  readonly turn: number;
  /** Empty: the newest state. Left out of the request when empty. */
  readonly resourceVersion: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
}

/** The driver always allows bookmarks; `sendInitialEvents` brings `resourceVersionMatch=NotOlderThan` with it. */
export interface WatchEffect {
  readonly type: 'watch';
  readonly turn: number;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number;
}

/**
 * What the consumer of the objects is told, in order. From `init` to `init-done` it fills a buffer beside its store (a second `init`
 * empties the buffer); at `init-done` the buffer replaces the store in one step, and what the store had beyond it was deleted meanwhile.
 * After `init-done`, each change is delivered once, per object in the order of revisions.
 */
export type Delivery<T = JsonObject> =
  | { readonly type: 'init' }
  | { readonly type: 'init-apply'; readonly object: T }
  | { readonly type: 'init-delete'; readonly object: T }
  | { readonly type: 'init-done'; readonly resourceVersion: string }
  | { readonly type: 'apply'; readonly object: T }
  /** The object may be unknown to the consumer, who then ignores this. */
  | { readonly type: 'delete'; readonly object: T }
  | { readonly type: 'bookmark'; readonly resourceVersion: string };

export type Effect<T = JsonObject> =
  | ListEffect
  | WatchEffect
  | { readonly type: 'wait'; readonly turn: number; readonly ms: number }
  /** End what is in progress: the request, the watch or the timer of this turn. */
  | { readonly type: 'cancel'; readonly turn: number }
  /** For a log. What to do about it is decided already. */
  | { readonly type: 'report'; readonly failure: Failure }
  | Delivery<T>;

/** The moment of an input and one number in [0, 1): all the time and chance the machine has. */
export interface Tick {
  readonly now: number;
  readonly random: number;
}

export interface Step<T = JsonObject> {
  readonly state: State;
  readonly effects: readonly Effect<T>[];
}
