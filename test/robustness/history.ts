/** The history of a robustness run: the operations of clients and the streams of watchers, in one monotonic time. */

export type Outcome = 'ok' | 'conflict' | 'missing' | 'unknown';

/** The state of an object: its unique value at a resourceVersion. */
export interface Item {
  readonly key: string;
  readonly value: string;
  readonly rv: number;
}

interface Timed {
  readonly client: number;
  /** Microseconds. The return of an operation with an unknown outcome is the time at which the client gave up. */
  readonly call: number;
  readonly return: number;
}

/** Only reads that were answered are recorded. */
export type Read =
  | { readonly kind: 'get'; readonly key: string; readonly found: Item | undefined }
  /**
   * `isCurrent`: the list was asked for without a resourceVersion. Otherwise it is the state at `rv`, which may be old.
   */
  | { readonly kind: 'list'; readonly isCurrent: boolean; readonly rv: number; readonly items: readonly Item[] };

export type Write = {
  readonly key: string;
  /** The resourceVersion that the object must have. 0: there must be no object. */
  readonly seen: number;
  readonly outcome: Outcome;
} & (
  | {
      readonly kind: 'create' | 'update';
      readonly value: string;
      /** The resourceVersion of the answer. 0: the outcome is not ok. */
      readonly rv: number;
    }
  | { readonly kind: 'delete' }
);

export type Operation = Timed & (Read | Write);

/** A change of an object. The value of a deletion is the last one of the object, or empty where etcd reports it. */
export interface Change extends Item {
  readonly type: string;
}

/** A change or a bookmark (`key` and `value` are empty) that a watcher received. */
export interface Received extends Change {
  /** Microseconds. */
  readonly time: number;
}

/** One watch stream: everything after `from`. */
export interface Stream {
  readonly server: number;
  /** Unique over all servers. */
  readonly watcher: number;
  readonly from: number;
  readonly changes: Received[];
}

export class History {
  readonly operations: Operation[] = [];
  readonly streams: Stream[] = [];

  /** Microseconds of this process. */
  now(): number {
    return Math.round(performance.now() * 1000);
  }
}
