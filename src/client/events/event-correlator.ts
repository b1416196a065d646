/**
 * The correlator of events, with client-go's rules (tools/record): it counts repeated events, combines similar ones and
 * limits the events of one source about one object. It reads no clock: callers pass the time.
 *
 * Bounds: 4,096 entries in each of its three tables; the least recently used ones are forgotten, which only makes
 * events new again.
 */
import { LruMap } from '../../base/lru-map.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

/** An event as the program recorded it, with all texts that identify it. */
export interface RecordedEvent {
  /** The API version, kind, namespace, name, uid and field path of the object. */
  readonly subject: readonly string[];
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the Event if it is new. */
  readonly name: string;
}

/** The Event to write. */
export interface CorrelatedEvent {
  /** The message, perhaps that of combined events. */
  readonly message: string;
  readonly name: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** For `stored`. */
  readonly key: string;
}

/** Similar events differ in their message only. From this many within the interval on, they are combined. */
const MAX_SIMILAR = 10;
const SIMILAR_INTERVAL_MS = 600_000;
/** Events of one type about one object: 25 at once, then one per five minutes. */
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

  /** Counts the event. Returns undefined if its source has sent too many about the object. */
  correlate(event: RecordedEvent): CorrelatedEvent | undefined {
    const { key, message } = this.#combine(event);
    const known = this.#occurrences.get(key);
    const occurrences: Occurrences =
      known === undefined ? { count: 1, firstAt: event.at, name: event.name } : { ...known, count: known.count + 1 };
    this.#occurrences.set(key, occurrences);
    if (!this.#takeToken(event)) return undefined;
    return { ...occurrences, lastAt: event.at, message, key };
  }

  /** Notes what the server has stored for an event, which may have another count or name. */
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
    // Any message may go: the set only has to stay at its bound.
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
