/** The reads of the etcd driver. All of them are linearizable. */
import { LruMap } from '../../base/lru-map.ts';
import { SharedRead } from '../../base/shared-read.ts';
import { StorageError } from '../errors.ts';
import { type KeyRange, prefixEnd } from '../keys.ts';
import type {
  Compacted,
  Future,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
} from '../storage.ts';
import { type EtcdCalls, withStorageError } from './etcd-calls.ts';
import type { EtcdObserver, EtcdOperation } from './etcd-observer.ts';
import { isCompacted, isFuture, toStorageError } from './grpc-error.ts';
import type { HistoryGuard } from './history-guard.ts';
import type { KeyMap } from './key-map.ts';
import type { EtcdKeyValue, RangeRequest, RangeResponse } from './messages.ts';

/** The most items of one request. A longer list is read in pages at one revision. */
const PAGE = 10_000;
/**
 * How many pages may be read in advance. The least recent page is dropped, which may belong to a caller that has
 * stopped.
 */
const MAX_AHEAD = 8;
/** How often a list of the current state is attempted if its revision is compacted between two pages. */
const ATTEMPTS = 3;

export interface EtcdReadsOptions {
  readonly calls: EtcdCalls;
  readonly keys: KeyMap;
  readonly history: HistoryGuard;
  readonly observer?: EtcdObserver | undefined;
  toItem(item: EtcdKeyValue): KeyValue;
}

export class EtcdReads {
  readonly #calls: EtcdCalls;
  readonly #keys: KeyMap;
  readonly #history: HistoryGuard;
  readonly #toItem: EtcdReadsOptions['toItem'];
  readonly #observer: EtcdObserver | undefined;
  readonly #revision: SharedRead<Revision>;
  /** Pages that were requested in advance, by `pageName`. */
  readonly #ahead = new LruMap<string, Promise<RangeResult>>(MAX_AHEAD);

  constructor({ calls, keys, history, observer, toItem }: EtcdReadsOptions) {
    this.#observer = observer;
    this.#calls = calls;
    this.#keys = keys;
    this.#history = history;
    this.#toItem = toItem;
    // This key never exists: no key of a store ends with a slash.
    const request = { key: `${keys.start}/`, countOnly: true };
    this.#revision = new SharedRead(async () => {
      const { header } = await withStorageError(() => calls.range(request), { isWrite: false });
      return header.revision;
    });
  }

  /**
   * Returns the current revision by a quorum read. Callers that arrive while a read is in flight share the next one.
   */
  revision(): Promise<Revision> {
    return this.#revision.get();
  }

  async get(key: string, options: ReadOptions): Promise<GetResult> {
    const response = await this.#range({ key: this.#keys.toEtcd(key) }, options, { operation: 'get', key });
    if ('outcome' in response) return response;
    const revision = options.revision ?? response.header.revision;
    const [item] = response.items;
    return item === undefined
      ? { outcome: 'missing', revision }
      : { outcome: 'found', item: this.#toItem(item), revision };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    const bounds = this.#bounds(range);
    if (bounds === undefined) return this.#nothing(options);
    if (options.countOnly) {
      const about = { operation: 'listWithCount', key: range.prefix } as const;
      const response = await this.#range({ ...bounds, countOnly: true }, options, about);
      if ('outcome' in response) return response;
      const revision = options.revision ?? response.header.revision;
      return { outcome: 'ok', items: [], revision, next: undefined, remaining: response.count };
    }
    for (let attempt = 1; ; attempt++) {
      const result = await this.#pages(bounds, options, range.prefix);
      if (result.outcome === 'ok') this.#observer?.listed(range.prefix, result.items.length);
      if (result.outcome !== 'compacted' || options.revision !== undefined) return result;
      if (attempt === ATTEMPTS)
        throw new StorageError('Unavailable', 'the state was compacted while it was being read');
    }
  }

  /** Reads the items of several prefixes at one revision, in key order. */
  async state(
    prefixes: readonly string[],
  ): Promise<{ readonly items: readonly KeyValue[]; readonly revision: Revision }> {
    for (;;) {
      let revision: Revision | undefined;
      const items: KeyValue[] = [];
      for (const prefix of prefixes) {
        const page = await this.list({ prefix }, revision === undefined ? {} : { revision });
        if (page.outcome !== 'ok') break;
        items.push(...page.items);
        revision ??= page.revision;
        if (prefix === prefixes.at(-1)) return { items, revision };
      }
      if (prefixes.length === 0) return { items, revision: await this.revision() };
    }
  }

  async #pages(bounds: Bounds, options: ListOptions, prefix: string): Promise<ListResult> {
    const about = { operation: 'list', key: prefix } as const;
    const limit = options.limit === undefined || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    const items: KeyValue[] = [];
    let { revision } = options;
    let { key } = bounds;
    for (;;) {
      const wanted = Math.min(limit - items.length, PAGE);
      // One more item than wanted is the start of the next page.
      const request = { key, end: bounds.end, limit: wanted + 1 };
      const read = revision === undefined ? options : { ...options, revision };
      const ahead = revision === undefined ? undefined : this.#ahead.take(pageName(request, revision));
      const response = await (ahead ?? this.#range(request, read, about));
      if ('outcome' in response) return response;
      revision ??= response.header.revision;
      const next = response.items[wanted];
      if (next !== undefined && options.nextLimit !== undefined && items.length + wanted >= limit)
        this.#readAhead(
          { key: next.key, end: bounds.end, limit: Math.min(options.nextLimit, PAGE) + 1 },
          revision,
          about,
        );
      for (const item of response.items.slice(0, wanted)) items.push(this.#toItem(item));
      if (next === undefined || items.length >= limit) {
        const remaining = response.count - Math.min(response.items.length, wanted);
        return { outcome: 'ok', items, revision, next: next && this.#keys.fromEtcd(next.key), remaining };
      }
      key = next.key;
    }
  }

  /** Requests a page before the caller does, so that etcd reads it while the caller decodes the previous page. */
  #readAhead(request: RangeRequest, revision: Revision, about: Observed): void {
    const page = this.#range(request, { revision }, about);
    // The caller that takes the page handles the failure.
    page.catch(() => undefined);
    this.#ahead.set(pageName(request, revision), page);
  }

  /** Answers a list whose range cannot contain a key of this store. */
  async #nothing(options: ReadOptions): Promise<ListResult> {
    const response = await this.#range({ key: `${this.#keys.start}/`, countOnly: true }, options);
    if ('outcome' in response) return response;
    const revision = options.revision ?? response.header.revision;
    return { outcome: 'ok', items: [], revision, next: undefined, remaining: 0 };
  }

  #bounds({ prefix, start }: KeyRange): Bounds | undefined {
    const range = this.#keys.range(prefix);
    if (range === undefined) return undefined;
    const first = this.#keys.fromEtcd(range.start);
    if (start === undefined || start <= first) return { key: range.start, end: range.end };
    if (!start.startsWith(this.#keys.fromEtcd(this.#keys.start))) return undefined;
    const end = prefixEnd(prefix);
    return end === undefined || start < end ? { key: this.#keys.toEtcd(start), end: range.end } : undefined;
  }

  async #range(request: RangeRequest, { revision, atLeast }: ReadOptions, about?: Observed): Promise<RangeResult> {
    const { horizon } = this.#history;
    // etcd is not asked, because older releases of etcd lose deletions at the compacted revision (etcd#18089).
    if (revision !== undefined && revision < horizon) return { outcome: 'compacted', horizon };
    let response: RangeResponse;
    try {
      const asked = revision === undefined ? request : { ...request, revision };
      response = await this.#calls.range(asked, about?.operation, about?.key);
    } catch (caught) {
      if (isCompacted(caught)) {
        this.#history.compacted((revision ?? 0) + 1);
        return { outcome: 'compacted', horizon: this.#history.horizon };
      }
      if (isFuture(caught)) {
        const current = await this.revision();
        // The store may have reached the revision meanwhile.
        if (current >= (revision ?? 0))
          return this.#range(request, { ...(revision !== undefined && { revision }) }, about);
        return { outcome: 'future', current };
      }
      throw toStorageError(caught, { isWrite: false });
    }
    const current = response.header.revision;
    return atLeast !== undefined && current < atLeast ? { outcome: 'future', current } : response;
  }
}

type RangeResult = RangeResponse | Compacted | Future;

function pageName({ key, end, limit }: RangeRequest, revision: Revision): string {
  return JSON.stringify([key, end, limit, revision]);
}

/** A request as the observer is told of it. */
interface Observed {
  readonly operation: EtcdOperation;
  readonly key: string;
}

interface Bounds {
  readonly key: string;
  readonly end: string;
}
