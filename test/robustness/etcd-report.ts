/**
 * A history in the report format of etcd's robustness tests (`go.etcd.io/etcd/tests/v3/robustness/report`), which
 * etcd's own validators judge.
 *
 * etcd's model begins with an empty store at revision 1, and each change takes the next revision. The objects of a run
 * share their etcd with other keys, so that their revisions have gaps: revision R becomes one more than the number of
 * changes up to R. The mapping keeps the order of changes.
 *
 * Answers of the Kubernetes API have less content than those of etcd. The version of a key follows from the changes of
 * etcd. Reads of one object and refused writes carry no revision: it is 0 in the report, which stands for unknown.
 */
import type { Change, History, Item, Operation, Received, Stream } from './history.ts';

interface Condition {
  readonly Key: string;
  readonly ExpectedRevision: number;
}

type TxnOperation =
  | { readonly Type: 'put-operation'; readonly Put: { readonly Key: string; readonly Value: Value } }
  | { readonly Type: 'delete-operation'; readonly Delete: { readonly Key: string } };

interface Value {
  readonly Value: string;
}

export type EtcdRequest =
  | {
      readonly Type: 'range';
      readonly Range: { readonly Start: string; readonly End?: string; readonly Revision: number };
    }
  | {
      readonly Type: 'txn';
      readonly Txn: {
        readonly Conditions: readonly Condition[];
        readonly OperationsOnSuccess: readonly TxnOperation[];
      };
    };

interface KeyValue {
  readonly Key: string;
  readonly Value: Value;
  readonly ModRevision: number;
  readonly Version: number;
}

type EtcdResponse =
  | { readonly Range: { readonly KVs: readonly KeyValue[]; readonly Count: number }; readonly Revision: number }
  | { readonly Txn: { readonly Failure: boolean; readonly Results: readonly object[] }; readonly Revision: number }
  | { readonly Persisted: true; readonly PersistedRevision: number }
  | { readonly Error: string };

interface EtcdOperation {
  readonly ClientId: number;
  readonly Input: EtcdRequest;
  /** Nanoseconds. */
  readonly Call: number;
  readonly Output: EtcdResponse;
  readonly Return: number;
}

interface WatchEvent {
  readonly Type: 'put-operation' | 'delete-operation';
  readonly Key: string;
  readonly Value: Value;
  readonly Revision: number;
  readonly IsCreate: boolean;
}

interface WatchResponse {
  readonly Events: readonly WatchEvent[];
  readonly IsProgressNotify: boolean;
  readonly Revision: number;
  readonly Time: number;
}

interface WatchOperation {
  readonly Request: { readonly Key: string; readonly WithPrefix: true; readonly Revision: number };
  readonly Responses: readonly WatchResponse[];
}

export interface ClientReport {
  readonly operations: readonly EtcdOperation[];
  readonly watches: readonly WatchOperation[];
}

export interface EtcdReport {
  readonly clients: readonly ClientReport[];
  /** The requests that etcd carried out, in the order of their revisions. */
  readonly persisted: readonly EtcdRequest[];
}

/** The range of the keys of a run: all of them begin with `k`. */
const PREFIX = 'k';
const PREFIX_END = 'l';
const NS_PER_US = 1000;
/** After the last answer, as etcd's own history does it. */
const LATER_NS = 1_000_000_000;

export function toEtcdReport({ operations, streams }: History, truth: readonly Change[]): EtcdReport {
  const changes = new Changes(truth);
  const last = operations.reduce((latest, operation) => Math.max(latest, operation.return), 0);
  const writer = new OperationWriter(changes, operations, last * NS_PER_US + LATER_NS);
  const clients = groupBy(operations, ({ client }) => client);
  const watchers = groupBy(streams, ({ watcher }) => watcher);
  return {
    clients: [
      ...clients.map((own) => ({ operations: writer.write(own), watches: [] })),
      ...watchers.map((own) => ({ operations: [], watches: own.map((each) => watchOf(each, changes)) })),
    ],
    persisted: truth.map((change) => writer.persisted(change)),
  };
}

function groupBy<T>(list: readonly T[], id: (element: T) => number): readonly (readonly T[])[] {
  const groups = new Map<number, T[]>();
  for (const element of list) {
    const group = groups.get(id(element));
    if (group === undefined) groups.set(id(element), [element]);
    else group.push(element);
  }
  return [...groups.values()];
}

/** The changes of etcd with the revisions of the model. */
class Changes {
  readonly #revisions: readonly number[];
  readonly #versions = new Map<number, number>();
  /** The revision of each deletion by the revision of the object that was deleted. */
  readonly #deletions = new Map<number, number>();
  /** The reverse of `#deletions`. */
  readonly #deleted = new Map<number, number>();

  constructor(truth: readonly Change[]) {
    this.#revisions = truth.map(({ rv }) => rv);
    const last = new Map<string, number>();
    for (const { type, key, rv } of truth) {
      const before = last.get(key);
      if (type === 'put') {
        this.#versions.set(rv, (before === undefined ? 0 : (this.#versions.get(before) ?? 0)) + 1);
        last.set(key, rv);
      } else {
        if (before !== undefined) {
          this.#deletions.set(before, rv);
          this.#deleted.set(rv, before);
        }
        last.delete(key);
      }
    }
  }

  /** Returns the revision of the model. 0 stays 0. */
  revision(rv: number): number {
    if (rv === 0) return 0;
    let low = 0;
    let high = this.#revisions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#revisions[middle]! <= rv) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  keyValue({ key, value, rv }: Item): KeyValue {
    const version = this.#versions.get(rv) ?? 0;
    return { Key: key, Value: { Value: value }, ModRevision: this.revision(rv), Version: version };
  }

  /** Returns the revision at which the object of revision `rv` was deleted. Undefined: it was not. */
  deletionOf(rv: number): number | undefined {
    return this.#deletions.get(rv);
  }

  /** Returns the revision of the object that was deleted at `rv`. */
  deletedAt(rv: number): number {
    return this.#deleted.get(rv) ?? 0;
  }
}

type WriteOperation = Extract<Operation, { readonly outcome: string }>;
type PutOperation = Extract<Operation, { readonly kind: 'create' | 'update' }>;
type DeleteOperation = Extract<Operation, { readonly kind: 'delete' }>;

/** Turns the operations of clients into those of etcd's model. */
class OperationWriter {
  readonly #changes: Changes;
  readonly #end: number;
  /** By the revision of the object: the delete that may have taken place. Other deletes without an answer did not. */
  readonly #deletes = new Map<number, DeleteOperation>();
  /** By their unique value. */
  readonly #puts = new Map<string, PutOperation>();
  /** etcd's validators demand that the operations of a stream follow each other. */
  #streams = 0;

  constructor(changes: Changes, operations: readonly Operation[], end: number) {
    this.#changes = changes;
    this.#end = end;
    const deletes: DeleteOperation[] = [];
    for (const operation of operations) {
      if (operation.kind === 'delete') deletes.push(operation);
      else if (operation.kind === 'create' || operation.kind === 'update') this.#puts.set(operation.value, operation);
    }
    // A delete that was acknowledged, otherwise the one that began first: it may have taken place at any later time.
    for (const operation of deletes.toSorted((a, b) => rank(a) - rank(b) || a.call - b.call))
      if (!this.#deletes.has(operation.seen)) this.#deletes.set(operation.seen, operation);
  }

  /** Takes the operations of one client. */
  write(operations: readonly Operation[]): readonly EtcdOperation[] {
    let stream = this.#streams++;
    const written: EtcdOperation[] = [];
    for (const operation of operations) {
      const pair = this.#pair(operation);
      if (pair === undefined) continue;
      const [Input, Output] = pair;
      const isOpen = 'outcome' in operation && operation.outcome === 'unknown';
      written.push({
        ClientId: stream,
        Input,
        Output,
        Call: operation.call * NS_PER_US,
        Return: isOpen ? this.#end : operation.return * NS_PER_US,
      });
      if (isOpen) stream = this.#streams++;
    }
    return written;
  }

  /**
   * Returns the request that made the change. A change that no client asked for becomes a request without a condition,
   * which etcd's validators refuse.
   */
  persisted({ type, key, value, rv }: Change): EtcdRequest {
    const operation = type === 'delete' ? this.#deletes.get(this.#changes.deletedAt(rv)) : this.#puts.get(value);
    if (operation?.key === key) return writeRequest(operation, this.#changes);
    const kind = type === 'delete' ? 'delete' : 'update';
    return { Type: 'txn', Txn: { Conditions: [], OperationsOnSuccess: [txnOperation({ kind, key, value })] } };
  }

  #pair(operation: Operation): readonly [EtcdRequest, EtcdResponse] | undefined {
    switch (operation.kind) {
      case 'get': {
        const { key, found } = operation;
        return [read(key), this.#items(found === undefined ? [] : [found], 0)];
      }
      case 'list': {
        const { rv, items, isCurrent } = operation;
        const revision = this.#changes.revision(rv);
        const Range = { Start: PREFIX, End: PREFIX_END, Revision: isCurrent ? 0 : revision };
        // The revision of the store when an old state was read is not known.
        return [{ Type: 'range', Range }, this.#items(items, isCurrent ? revision : 0)];
      }
      default:
        return this.#writePair(operation);
    }
  }

  #writePair(operation: WriteOperation): readonly [EtcdRequest, EtcdResponse] | undefined {
    const request = writeRequest(operation, this.#changes);
    switch (operation.outcome) {
      case 'conflict':
        return [request, { Txn: { Failure: true, Results: [] }, Revision: 0 }];
      case 'missing':
        // The object was absent at some time between call and return, which says more than a failed comparison.
        return [read(operation.key), this.#items([], 0)];
      case 'ok': {
        const rv = operation.kind === 'delete' ? (this.#changes.deletionOf(operation.seen) ?? 0) : operation.rv;
        const result = operation.kind === 'delete' ? { Deleted: 1 } : {};
        return [request, { Txn: { Failure: false, Results: [result] }, Revision: this.#changes.revision(rv) }];
      }
      case 'unknown': {
        if (operation.kind !== 'delete') return [request, { Error: 'unknown outcome' }];
        const rv = this.#changes.deletionOf(operation.seen);
        if (rv === undefined || this.#deletes.get(operation.seen) !== operation) return undefined;
        return [request, { Persisted: true, PersistedRevision: this.#changes.revision(rv) }];
      }
    }
  }

  #items(items: readonly Item[], revision: number): EtcdResponse {
    const KVs = items.map((item) => this.#changes.keyValue(item)).toSorted((a, b) => (a.Key < b.Key ? -1 : 1));
    return { Range: { KVs, Count: KVs.length }, Revision: revision };
  }
}

function rank({ outcome }: DeleteOperation): number {
  if (outcome === 'ok') return 0;
  return outcome === 'unknown' ? 1 : 2;
}

function read(key: string): EtcdRequest {
  return { Type: 'range', Range: { Start: key, Revision: 0 } };
}

function writeRequest(operation: WriteOperation, changes: Changes): EtcdRequest {
  const { key, seen } = operation;
  const Conditions = [{ Key: key, ExpectedRevision: changes.revision(seen) }];
  return { Type: 'txn', Txn: { Conditions, OperationsOnSuccess: [txnOperation(operation)] } };
}

function txnOperation(write: { readonly key: string; readonly kind: string; readonly value?: string }): TxnOperation {
  if (write.kind === 'delete') return { Type: 'delete-operation', Delete: { Key: write.key } };
  return { Type: 'put-operation', Put: { Key: write.key, Value: { Value: write.value ?? '' } } };
}

function watchOf({ from, changes: received }: Stream, changes: Changes): WatchOperation {
  return {
    Request: { Key: PREFIX, WithPrefix: true, Revision: changes.revision(from) + 1 },
    Responses: received.map((each) => responseOf(each, changes)),
  };
}

function responseOf(received: Received, changes: Changes): WatchResponse {
  const { type, key, value, rv, time } = received;
  const Revision = changes.revision(rv);
  const Time = time * NS_PER_US;
  if (type === 'BOOKMARK') return { Events: [], IsProgressNotify: true, Revision, Time };
  const isDelete = type === 'DELETED';
  const event: WatchEvent = {
    Type: isDelete ? 'delete-operation' : 'put-operation',
    Key: key,
    Value: { Value: isDelete ? '' : value },
    Revision,
    IsCreate: type === 'ADDED',
  };
  return { Events: [event], IsProgressNotify: false, Revision, Time };
}
