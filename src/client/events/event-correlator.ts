/**
 * The correlator of events, with client-go's rules (tools/record): it counts repeated events, combines similar ones and
 * limits the events of one type about one object. It reads no clock: callers pass the time.
 *
 * Bounds: 4,096 entries in each of its three tables. The least recently used entries are dropped; their next events
 * count as new.
 */
import { LruMap } from '../../base/lru-map.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

/** An event as the program has recorded it. */
export interface RecordedEvent {
  /** The API version, kind, namespace, name, uid and field path of the object. */
  readonly subject: readonly string[];
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the Event object, if a new one is created. */
  readonly name: string;
}

/** The Event to write. */
export interface CorrelatedEvent {
  /** The message of the event, or of the combined events. */
  readonly message: string;
  readonly name: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The key for `stored`. */
  readonly key: string;
}

/** Similar events differ only in their message. They are combined once there are this many within the interval. */
const MAX_SIMILAR = 10;
const SIMILAR_INTERVAL_MS = 600_000;
/** The rate limit of events of one type about one object: a burst of 25, then one per five minutes. */
const SPAM_BURST = 25;
const SPAM_PER_SECOND = 1 / 300;
const MAX_ENTRIES = 4096;

interface Group {
  readonly messages: Set<string>;
  lastAt: number;
}

interface Occurrences {
  count: number;
  firstAt: number;
  name: string;
}

export class EventCorrelator {
  readonly #groups = new LruMap<string, Group>(MAX_ENTRIES);
  readonly #occurrences = new LruMap<string, Occurrences>(MAX_ENTRIES);
  readonly #buckets = new LruMap<string, TokenBucket>(MAX_ENTRIES);

  /** Counts the event. Returns the Event to write; undefined if the rate limit is exceeded. */
  correlate(event: RecordedEvent): CorrelatedEvent | undefined {
    const { key, message } = this.#combine(event);
    const known = this.#occurrences.get(key);
    const occurrences: Occurrences =
      known === undefined ? { count: 1, firstAt: event.at, name: event.name } : { ...known, count: known.count + 1 };
    this.#occurrences.set(key, occurrences);
    if (!this.#takeToken(event)) return undefined;
    return { ...occurrences, lastAt: event.at, message, key };
  }

  /** Called with the name and count that the server has stored for an event, which may differ. */
  stored(key: string, event: { readonly name: string; readonly count: number }): void {
    const known = this.#occurrences.get(key);
    if (known !== undefined) this.#occurrences.set(key, { ...known, ...event });
  }

  #combine(event: RecordedEvent): { readonly key: string; readonly message: string } {
    const { subject, type, reason, message, at } = event;
    const groupKey = keyOf([...subject, type, reason]);
    let group = this.#groups.get(groupKey);
    if (group === undefined || at - group.lastAt > SIMILAR_INTERVAL_MS) group = { messages: new Set(), lastAt: at };
    group.messages.add(message);
    group.lastAt = at;
    this.#groups.set(groupKey, group);
    if (group.messages.size < MAX_SIMILAR) return { key: keyOf([...subject, type, reason, message]), message };
    // Removes any message, because only the size of the set matters.
    for (const any of group.messages) {
      group.messages.delete(any);
      break;
    }
    return { key: groupKey, message: `(combined from similar events): ${message}` };
  }

  #takeToken({ subject, type, at }: RecordedEvent): boolean {
    const key = keyOf([...subject, type]);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(SPAM_BURST, SPAM_PER_SECOND, at);
    this.#buckets.set(key, bucket);
    return bucket.take(at);
  }
}

function keyOf(texts: readonly string[]): string {
  return JSON.stringify(texts);
}
