/** The reads of the driver. All are linearizable. */
import { SharedRead } from '../../base/shared-read.ts';
import { StorageError } from '../errors.ts';
import type { KeyRange } from '../keys.ts';
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
import { isCompacted, isFuture } from './grpc-error.ts';
import type { HistoryGuard } from './history-guard.ts';
import type { KeyMap } from './key-map.ts';
import type { EtcdKeyValue, RangeRequest, RangeResponse } from './messages.ts';

/** The most items of one request. A longer list is read in pages at one revision. */
const PAGE = 10_000;
/** How often a list of the current state is tried if its revision is compacted meanwhile. */
const ATTEMPTS = 3;

export interface EtcdReadsOptions {
  readonly calls: EtcdCalls;
  readonly keys: KeyMap;
  readonly history: HistoryGuard;
  toItem(item: EtcdKeyValue): KeyValue;
}

export class EtcdReads {
  readonly #calls: EtcdCalls;
  readonly #keys: KeyMap;
  readonly #history: HistoryGuard;
  readonly #toItem: EtcdReadsOptions['toItem'];
  readonly #revision: SharedRead<Revision>;

  constructor({ calls, keys, history, toItem }: EtcdReadsOptions) {
    this.#calls = calls;
    this.#keys = keys;
    this.#history = history;
    this.#toItem = toItem;
    // No key of a store has this name: it ends with a slash.
    const request = { key: `${keys.start}/`, countOnly: true };
    this.#revision = new SharedRead(async () => {
      const { header } = await withStorageError(() => calls.range(request), { isWrite: false });
      return header.revision;
    });
  }

  /** The present revision: a quorum read, shared by the callers that arrive while another is in flight. */
  revision(): Promise<Revision> {
    return this.#revision.get();
  }

  async get(key: string, options: ReadOptions): Promise<GetResult> {
    const response = await this.#range({ key: this.#keys.toEtcd(key) }, options);
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
      const response = await this.#range({ ...bounds, countOnly: true }, options);
      if ('outcome' in response) return response;
      const revision = options.revision ?? response.header.revision;
      return { outcome: 'ok', items: [], revision, next: undefined, remaining: response.count };
    }
    for (let attempt = 1; ; attempt++) {
      const result = await this.#pages(bounds, options);
      if (result.outcome !== 'compacted' || options.revision !== undefined) return result;
      if (attempt === ATTEMPTS)
        throw new StorageError('Unavailable', 'the state was compacted while it was being read');
    }
  }

  /** The items of several prefixes at one revision, in key order. */
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

  async #pages(bounds: Bounds, options: ListOptions): Promise<ListResult> {
    const limit = options.limit === undefined || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    const items: KeyValue[] = [];
    let { revision } = options;
    let { key } = bounds;
    for (;;) {
      const wanted = Math.min(limit - items.length, PAGE);
      // One more item than wanted is the start of the next page.
      const request = { key, end: bounds.end, limit: wanted + 1 };
      const read = revision === undefined ? options : { ...options, revision };
      const response = await this.#range(request, read);
      if ('outcome' in response) return response;
      revision ??= response.header.revision;
      for (const item of response.items.slice(0, wanted)) items.push(this.#toItem(item));
      const next = response.items[wanted];
      if (next === undefined || items.length >= limit) {
        const remaining = response.count - Math.min(response.items.length, wanted);
        return { outcome: 'ok', items, revision, next: next && this.#keys.fromEtcd(next.key), remaining };
      }
      key = next.key;
    }
  }

  /** A range that has no key of this store. */
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
    const key = this.#keys.toEtcd(start);
    return key < range.end ? { key, end: range.end } : undefined;
  }

  async #range(request: RangeRequest, { revision, atLeast }: ReadOptions): Promise<RangeResponse | Compacted | Future> {
    const { horizon } = this.#history;
    // Older releases of etcd drop deletions at the compacted revision (etcd#18089), so etcd is not asked.
    if (revision !== undefined && revision < horizon) return { outcome: 'compacted', horizon };
    let response: RangeResponse;
    try {
      response = await this.#calls.range(revision === undefined ? request : { ...request, revision });
    } catch (caught) {
      if (isCompacted(caught)) {
        this.#history.compacted((revision ?? 0) + 1);
        return { outcome: 'compacted', horizon: this.#history.horizon };
      }
      if (isFuture(caught)) {
        const current = await this.revision();
        // It may have been reached meanwhile.
        if (current >= (revision ?? 0)) return this.#range(request, { ...(revision !== undefined && { revision }) });
        return { outcome: 'future', current };
      }
      return withStorageError(() => Promise.reject(caught), { isWrite: false });
    }
    const current = response.header.revision;
    return atLeast !== undefined && current < atLeast ? { outcome: 'future', current } : response;
  }
}

interface Bounds {
  readonly key: string;
  readonly end: string;
}
