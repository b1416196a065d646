/**
 * Reads and writes all keys below a prefix of an etcd cluster, for imports and exports. Values are not decoded, and are
 * read and written in batches.
 * Invariants: from `begin` until `finish` the cluster has the marker of an unfinished import. Every key that is written
 * has a revision above the `goal` of `raiseTo`. After `finish` no earlier revision can be read or watched.
 */
import { encodeUtf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import { prefixEnd } from '../keys.ts';
import type { Revision } from '../storage.ts';
import { EtcdCalls, withStorageError } from './etcd-calls.ts';
import { EtcdClient, type EtcdClientOptions } from './etcd-client.ts';
import { isCompacted, toStorageError } from './grpc-error.ts';
import { HistoryGuard } from './history-guard.ts';
import { importMarkerKey } from './import-marker.ts';
import type { LeaseId, Operation, RangeResponse, TxnRequest, TxnResponse } from './messages.ts';

export interface EtcdTransferOptions extends EtcdClientOptions {
  readonly clock: Clock;
  /** The first part of the keys, without a final slash: `/registry`. */
  readonly prefix: string;
}

export interface TransferredKey {
  /** Without the prefix. */
  readonly path: string;
  readonly revision: Revision;
  readonly created: Revision;
  readonly lease: LeaseId;
}

export interface TransferredState {
  readonly revision: Revision;
  /** In the order of etcd's keys: by UTF-8 bytes. */
  readonly keys: readonly TransferredKey[];
  /** The seconds that remain of each lease, by its id. */
  readonly leases: ReadonlyMap<LeaseId, number>;
}

export interface TransferredPut {
  /** Without the prefix. */
  readonly path: string;
  readonly value: Uint8Array;
  readonly lease?: LeaseId | undefined;
}

type Report = (done: number, total: number) => void;

/** The most keys of one request. */
const PAGE = 1000;
/**
 * The most keys and bytes of one transaction, below the defaults of etcd's `--max-txn-ops` and `--max-request-bytes`.
 */
const MAX_PUTS = 120;
const MAX_PUT_BYTES = 1_000_000;
/** The number of values in the first batch, and the bytes that later batches aim at. */
const FIRST_VALUES = 8;
const VALUE_BYTES = 1_000_000;
/** The most writes in flight while the revision is raised. */
const IN_FLIGHT = 256;
/** While the revision is raised, the database is compacted once per this many revisions, which bounds its growth. */
const COMPACTED_STEP = 100_000;
/** The most requests for the time to live of a lease in flight. */
const LEASES_IN_FLIGHT = 32;

export class EtcdTransfer {
  readonly #client: EtcdClient;
  readonly #calls: EtcdCalls;
  /** The range of the keys below the prefix. `end` is exclusive. */
  readonly #keys: { readonly start: string; readonly end: string };
  readonly #marker: string;

  /** Connects with the first call. Throws ConfigError for an invalid URL. */
  constructor(options: EtcdTransferOptions) {
    this.#client = new EtcdClient(options);
    const history = new HistoryGuard(() => undefined);
    this.#calls = new EtcdCalls({ client: this.#client, clock: options.clock, history });
    const start = `${options.prefix}/`;
    this.#keys = { start, end: prefixEnd(start) as string };
    this.#marker = importMarkerKey(this.#keys);
  }

  /** Returns the number of keys below the prefix, and the revision of the cluster. */
  async count(): Promise<{ readonly keys: number; readonly revision: Revision }> {
    const { start: key, end } = this.#keys;
    const { count, header } = await this.#range({ key, end, countOnly: true });
    return { keys: count, revision: header.revision };
  }

  /** Returns any key of the cluster, for the message about a prefix that has no keys. */
  async anyKey(): Promise<string | undefined> {
    const { items } = await this.#range({ key: '\0', end: '\0', limit: 1 });
    return items[0]?.key;
  }

  /** Whether an import into the prefix is unfinished. */
  async hasMarker(): Promise<boolean> {
    return (await this.#range({ key: this.#marker, countOnly: true })).count > 0;
  }

  /**
   * Reads all keys at one revision, without values. Throws StorageError(Unavailable) if the revision is compacted
   * meanwhile.
   */
  async readKeys(report: Report): Promise<TransferredState> {
    const { start, end } = this.#keys;
    const keys: TransferredKey[] = [];
    let revision: Revision | undefined;
    for (let key = start; ; ) {
      const at = revision === undefined ? {} : { revision };
      const page = await this.#range({ key, end, limit: PAGE + 1, keysOnly: true, ...at });
      revision ??= page.header.revision;
      for (const { key: name, revision: written, created, lease } of page.items.slice(0, PAGE))
        keys.push({ path: name.slice(start.length), revision: written, created, lease });
      const next = page.items[PAGE];
      if (next === undefined) return { revision, keys, leases: await this.#leases(keys) };
      report(keys.length, keys.length + page.count - PAGE);
      key = next.key;
    }
  }

  /**
   * Reads the values of keys at a revision, in the order of `paths` and in batches. The number of keys in a batch
   * follows the size of the values. Throws StorageError(Unavailable) if the revision is compacted, and `Corrupt` if a
   * key is not there.
   */
  async *readValues(paths: readonly string[], revision: Revision): AsyncIterable<readonly Uint8Array[]> {
    const { start } = this.#keys;
    let size = FIRST_VALUES;
    for (let done = 0; done < paths.length; ) {
      const batch = paths.slice(done, done + size);
      const success = batch.map((path): Operation => ({ type: 'get', key: start + path, revision }));
      const { items } = await this.#txn({ compare: [], success, failure: [] });
      let bytes = 0;
      const values = batch.map((path, i) => {
        const value = items[i]?.value;
        if (value === undefined) throw new StorageError('Corrupt', `etcd has lost ${start}${path}`);
        bytes += value.byteLength;
        return value;
      });
      yield values;
      done += batch.length;
      if (bytes < VALUE_BYTES / 2) size = Math.min(MAX_PUTS, size * 2);
      else if (bytes > VALUE_BYTES) size = Math.max(1, size >> 1);
    }
  }

  /** Marks the import, and removes all keys below the prefix. Throws ConfigError if another import began meanwhile. */
  async begin(description: string, { replaces }: { readonly replaces: boolean }): Promise<void> {
    const { start: key, end } = this.#keys;
    const put: Operation = { type: 'put', key: this.#marker, value: encodeUtf8(description) };
    const compare = replaces ? [] : [{ key: this.#marker, version: 0 }];
    const { succeeded } = await this.#txn({
      compare,
      success: [put, { type: 'deleteRange', key, end }],
      failure: [],
    });
    if (!succeeded) throw new ConfigError('another import into these keys has begun');
  }

  /**
   * Raises the revision of the cluster to at least `goal` by writing the marker again and again: a running etcd has no
   * other way. Returns the new revision.
   */
  async raiseTo(goal: Revision, description: string, report: Report): Promise<Revision> {
    const put: Operation = { type: 'put', key: this.#marker, value: encodeUtf8(description) };
    const request: TxnRequest = { compare: [], success: [put], failure: [] };
    let { revision } = await this.count();
    const first = revision;
    let compacted = revision;
    while (revision < goal) {
      const step = Math.min(goal, revision + COMPACTED_STEP);
      let left = step - revision;
      const write = async (): Promise<void> => {
        while (left > 0) {
          left--;
          const { header } = await this.#txn(request);
          revision = Math.max(revision, header.revision);
          report(revision - first, goal - first);
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, write));
      if (revision - compacted >= COMPACTED_STEP) {
        await this.#compact(revision);
        compacted = revision;
      }
    }
    return revision;
  }

  /** Writes keys in the given order. The keys of one batch share a transaction, and thereby a revision. */
  async write(puts: readonly TransferredPut[]): Promise<void> {
    for (let done = 0; done < puts.length; ) {
      const batch = takeBatch(puts, done);
      const success = batch.map(({ path, value, lease }): Operation => {
        return { type: 'put', key: this.#keys.start + path, value, lease };
      });
      await this.#txn({ compare: [], success, failure: [] }, `${this.#keys.start}${batch[0]?.path}`);
      done += batch.length;
    }
  }

  grantLease(seconds: number): Promise<LeaseId> {
    return withStorageError(() => this.#calls.grantLease(seconds), { isWrite: false });
  }

  /**
   * Removes the marker and compacts, so that clients with an earlier revision have to list again. Returns the revision.
   */
  async finish(): Promise<Revision> {
    const { header } = await this.#txn({
      compare: [],
      success: [{ type: 'deleteRange', key: this.#marker, end: `${this.#marker}\0` }],
      failure: [],
    });
    await this.#compact(header.revision);
    return header.revision;
  }

  close(): void {
    this.#client.close();
  }

  async #leases(keys: readonly TransferredKey[]): Promise<ReadonlyMap<LeaseId, number>> {
    const waiting = [...new Set(keys.map(({ lease }) => lease))].filter((lease) => lease !== 0);
    const leases = new Map<LeaseId, number>();
    const ask = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const lease = id;
        leases.set(lease, await withStorageError(() => this.#calls.leaseSeconds(lease), { isWrite: false }));
      }
    };
    await Promise.all(Array.from({ length: LEASES_IN_FLIGHT }, ask));
    return leases;
  }

  async #compact(revision: Revision): Promise<void> {
    try {
      await this.#calls.compact(revision);
    } catch (caught) {
      if (!isCompacted(caught)) throw toStorageError(caught, { isWrite: false });
    }
  }

  #range(request: Parameters<EtcdCalls['range']>[0]): Promise<RangeResponse> {
    return withStorageError(() => this.#calls.range(request), { isWrite: false });
  }

  async #txn(request: TxnRequest, key?: string): Promise<TxnResponse> {
    const options = { isWrite: true, ...(key !== undefined && { key }) };
    return (await withStorageError(() => this.#calls.txn(request), options)).response;
  }
}

function takeBatch(puts: readonly TransferredPut[], from: number): readonly TransferredPut[] {
  let end = from;
  let bytes = 0;
  for (; end < puts.length && end - from < MAX_PUTS; end++) {
    const { path, value } = puts[end] as TransferredPut;
    bytes += path.length + value.byteLength;
    if (end > from && bytes > MAX_PUT_BYTES) break;
  }
  return puts.slice(from, end);
}
