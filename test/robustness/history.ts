/** The history of a robustness run: the operations of clients and the streams of watchers, in one monotonic time. */

export type Outcome = 'ok' | 'conflict' | 'missing' | 'unknown';

export interface Operation {
  readonly client: number;
  readonly key: string;
  readonly kind: 'get' | 'create' | 'update' | 'delete';
  /** The value that an update or a delete expects. */
  readonly seen?: string;
  /** The unique value that was written or read. */
  readonly value?: string;
  readonly outcome: Outcome;
  /** The resourceVersion of the answer. 0: the answer has none. */
  readonly rv: number;
  /** Microseconds. */
  readonly call: number;
  readonly return: number;
}

/** A change of an object, or a bookmark (`key` and `value` are empty). */
export interface Change {
  readonly type: string;
  readonly key: string;
  readonly value: string;
  readonly rv: number;
}

/** One watch stream: everything after `from`. */
export interface Stream {
  readonly server: number;
  readonly from: number;
  readonly changes: Change[];
}

export class History {
  readonly operations: Operation[] = [];
  readonly streams: Stream[] = [];

  /** Microseconds of this process. */
  now(): number {
    return Math.round(performance.now() * 1000);
  }
}
