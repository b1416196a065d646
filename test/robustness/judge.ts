/**
 * The judges of a history. Answers and watches are compared with the changes that etcd reported: each answer must be a
 * state of etcd, and each stream must have every change after its start, once and in order, up to its last event or
 * bookmark. Then etcd's own validators judge the history (`validators.ts`).
 */
import type { Change, History, Item, Operation, Stream } from './history.ts';

/** Compares a history with the changes of etcd. Returns the violations. */
export function compare({ operations, streams }: History, truth: readonly Change[]): readonly string[] {
  const changes = withDeletedValues(truth);
  return [
    ...streams.flatMap((stream) => judgeStream(stream, changes)),
    ...judgeAnswers(operations, new Map(changes.map((change) => [change.rv, change]))),
  ];
}

/** A watch reports a deletion with the last value of the object. */
function withDeletedValues(truth: readonly Change[]): readonly Change[] {
  const last = new Map<string, string>();
  return truth.map((change) => {
    if (change.type === 'delete') return { ...change, value: last.get(change.key) ?? '' };
    last.set(change.key, change.value);
    return change;
  });
}

function judgeStream({ server, from, changes }: Stream, truth: readonly Change[]): string[] {
  const where = `a watch of server ${server} from ${from}`;
  const problems: string[] = [];
  let position = from;
  for (const { type, rv } of changes) {
    // A bookmark may repeat the revision of the last event.
    if (type === 'BOOKMARK' ? rv < position : rv <= position)
      problems.push(`${where}: ${type} at ${rv} after ${position}`);
    position = Math.max(position, rv);
  }
  const expected = truth.filter(({ rv }) => rv > from && rv <= position);
  const seen = changes.filter(({ type }) => type !== 'BOOKMARK');
  const byRevision = new Map(seen.map((change) => [change.rv, change]));
  for (const change of expected) {
    const found = byRevision.get(change.rv);
    if (found === undefined) problems.push(`${where}: lacks ${change.type} of ${change.key} at ${change.rv}`);
    else if (!isSame(found, change)) problems.push(`${where}: has ${text(found)}, etcd has ${text(change)}`);
    byRevision.delete(change.rv);
  }
  for (const change of byRevision.values()) problems.push(`${where}: ${text(change)} is not in etcd`);
  return problems;
}

function isSame(found: Change, change: Change): boolean {
  if (found.key !== change.key || found.value !== change.value) return false;
  return (found.type === 'DELETED') === (change.type === 'delete');
}

/** The value and the resourceVersion of an object in an answer must be those of one change. */
function judgeAnswers(operations: readonly Operation[], byRevision: ReadonlyMap<number, Change>): string[] {
  const problems: string[] = [];
  for (const operation of operations)
    for (const { key, value, rv } of answered(operation)) {
      const change = byRevision.get(rv);
      if (change?.type === 'put' && change.key === key && change.value === value) continue;
      const stored = change === undefined ? 'nothing' : text(change);
      problems.push(`${operation.kind} of ${key}: ${value} at ${rv}, etcd has ${stored}`);
    }
  return problems;
}

function answered(operation: Operation): readonly Item[] {
  switch (operation.kind) {
    case 'get':
      return operation.found === undefined ? [] : [operation.found];
    case 'list':
      return operation.items;
    case 'delete':
      return [];
    default:
      return operation.outcome === 'ok' ? [operation] : [];
  }
}

function text({ type, key, value, rv }: Change): string {
  return `${type} of ${key} (${value}) at ${rv}`;
}
