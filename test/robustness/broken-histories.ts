/**
 * A small correct history, and the same history with one fault each. The judges must accept the first and refuse the
 * others: otherwise they prove nothing.
 */
import { type Change, History, type Operation, type Received, type Stream } from './history.ts';

export interface BrokenHistory {
  readonly name: string;
  /** Whether the comparison with the changes of etcd finds it. The validators of etcd find all of them. */
  readonly isFoundByComparison: boolean;
  break(history: History): void;
}

/** Revisions of other keys lie between those of the run. */
const TRUTH: readonly Change[] = [
  { type: 'put', key: 'k-first', value: 'v9-1', rv: 100 },
  { type: 'put', key: 'k0', value: 'v0-1', rv: 110 },
  { type: 'put', key: 'k0', value: 'v0-2', rv: 111 },
  { type: 'put', key: 'k1', value: 'v1-1', rv: 120 },
  { type: 'delete', key: 'k0', value: '', rv: 130 },
  { type: 'put', key: 'k1', value: 'v0-3', rv: 140 },
  { type: 'put', key: 'k-last', value: 'v9-2', rv: 150 },
];

export function exampleHistory(): { readonly history: History; readonly truth: readonly Change[] } {
  const history = new History();
  let time = 0;
  const next = (client: number): { client: number; call: number; return: number } => {
    time += 10;
    return { client, call: time, return: time + 5 };
  };
  const first = { key: 'k-first', value: 'v9-1', rv: 100 };
  history.operations.push(
    { ...next(9), kind: 'create', seen: 0, outcome: 'ok', ...first },
    { ...next(0), kind: 'create', seen: 0, outcome: 'ok', key: 'k0', value: 'v0-1', rv: 110 },
    { ...next(1), kind: 'create', seen: 0, outcome: 'conflict', key: 'k0', value: 'v1-9', rv: 0 },
    { ...next(0), kind: 'update', seen: 110, outcome: 'ok', key: 'k0', value: 'v0-2', rv: 111 },
    { ...next(1), kind: 'update', seen: 110, outcome: 'conflict', key: 'k0', value: 'v1-8', rv: 0 },
    { ...next(1), kind: 'create', seen: 0, outcome: 'ok', key: 'k1', value: 'v1-1', rv: 120 },
    { ...next(1), kind: 'get', key: 'k0', found: { key: 'k0', value: 'v0-2', rv: 111 } },
    { ...next(0), kind: 'delete', seen: 111, outcome: 'ok', key: 'k0' },
    { ...next(1), kind: 'get', key: 'k0', found: undefined },
    { ...next(1), kind: 'delete', seen: 111, outcome: 'missing', key: 'k0' },
    { ...next(0), kind: 'update', seen: 120, outcome: 'unknown', key: 'k1', value: 'v0-3', rv: 0 },
    { ...next(0), kind: 'update', seen: 111, outcome: 'unknown', key: 'k0', value: 'v0-4', rv: 0 },
    {
      ...next(1),
      kind: 'list',
      isCurrent: true,
      rv: 145,
      items: [first, { key: 'k1', value: 'v0-3', rv: 140 }],
    },
    {
      ...next(1),
      kind: 'list',
      isCurrent: false,
      rv: 125,
      items: [first, { key: 'k0', value: 'v0-2', rv: 111 }, { key: 'k1', value: 'v1-1', rv: 120 }],
    },
    { ...next(9), kind: 'create', seen: 0, outcome: 'ok', key: 'k-last', value: 'v9-2', rv: 150 },
  );
  history.streams.push(
    stream(0, 105, [
      ['ADDED', 'k0', 'v0-1', 110],
      ['MODIFIED', 'k0', 'v0-2', 111],
      ['BOOKMARK', '', '', 115],
      ['ADDED', 'k1', 'v1-1', 120],
      ['DELETED', 'k0', 'v0-2', 130],
      ['MODIFIED', 'k1', 'v0-3', 140],
    ]),
    stream(0, 140, [['ADDED', 'k-last', 'v9-2', 150]]),
    stream(1, 115, [
      ['ADDED', 'k1', 'v1-1', 120],
      ['DELETED', 'k0', 'v0-2', 130],
      ['BOOKMARK', '', '', 135],
    ]),
  );
  return { history, truth: TRUTH };
}

function stream(
  watcher: number,
  from: number,
  changes: readonly (readonly [string, string, string, number])[],
): Stream {
  const received = changes.map(([type, key, value, rv], i): Received => ({ type, key, value, rv, time: 200 + i }));
  return { server: watcher, watcher, from, changes: received };
}

/** Replaces the operation for which `isWanted` returns true. */
function replace(history: History, isWanted: (operation: Operation) => boolean, change: object): void {
  const index = history.operations.findIndex(isWanted);
  history.operations[index] = { ...history.operations[index]!, ...change } as Operation;
}

export const BROKEN_HISTORIES: readonly BrokenHistory[] = [
  {
    name: 'a stale read of an object',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, ({ kind }) => kind === 'get', { found: { key: 'k0', value: 'v0-1', rv: 110 } }),
  },
  {
    name: 'a read of an object that was deleted',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => operation.kind === 'get' && operation.found === undefined, {
        found: { key: 'k0', value: 'v0-2', rv: 111 },
      }),
  },
  {
    name: 'a read of a value that was never stored',
    isFoundByComparison: true,
    break: (history) =>
      replace(history, ({ kind }) => kind === 'get', { found: { key: 'k0', value: 'v0-7', rv: 111 } }),
  },
  {
    name: 'a stale list',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => operation.kind === 'list' && operation.isCurrent, {
        rv: 125,
        items: [
          { key: 'k-first', value: 'v9-1', rv: 100 },
          { key: 'k0', value: 'v0-2', rv: 111 },
          { key: 'k1', value: 'v1-1', rv: 120 },
        ],
      }),
  },
  {
    name: 'a list of an old state that lacks an object',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => operation.kind === 'list' && !operation.isCurrent, {
        items: [
          { key: 'k-first', value: 'v9-1', rv: 100 },
          { key: 'k1', value: 'v1-1', rv: 120 },
        ],
      }),
  },
  {
    name: 'a lost update: a write succeeds on a state that was replaced',
    isFoundByComparison: false,
    break: (history) => replace(history, (operation) => 'rv' in operation && operation.rv === 111, { seen: 105 }),
  },
  {
    name: 'a write that took place is answered with a conflict',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => 'rv' in operation && operation.rv === 120, { outcome: 'conflict', rv: 0 }),
  },
  {
    name: 'a delete that took place is answered with a conflict',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => operation.kind === 'delete' && operation.outcome === 'ok', {
        outcome: 'conflict',
      }),
  },
  {
    name: 'a delete is acknowledged twice',
    isFoundByComparison: false,
    break: (history) =>
      replace(history, (operation) => operation.kind === 'delete' && operation.outcome === 'missing', {
        outcome: 'ok',
      }),
  },
  {
    name: 'ordered: two events are exchanged',
    isFoundByComparison: true,
    break: ({ streams: [one] }) => one!.changes.splice(0, 2, one!.changes[1]!, one!.changes[0]!),
  },
  {
    name: 'unique: an event is repeated',
    isFoundByComparison: true,
    break: ({ streams: [one] }) => one!.changes.splice(1, 0, one!.changes[0]!),
  },
  {
    name: 'reliable: an event is missing',
    isFoundByComparison: true,
    break: ({ streams: [one] }) => one!.changes.splice(3, 1),
  },
  {
    name: 'reliable: a deletion is missing before a bookmark',
    isFoundByComparison: true,
    break: ({ streams }) => streams[2]!.changes.splice(1, 1),
  },
  {
    name: 'resumable: the first event after the start is missing',
    isFoundByComparison: true,
    break: ({ streams: [one] }) => one!.changes.splice(0, 1),
  },
  {
    name: 'bookmarkable: a bookmark is ahead of the events',
    isFoundByComparison: true,
    break: ({ streams: [one] }) => one!.changes.splice(2, 1, { ...one!.changes[2]!, rv: 125 }),
  },
  {
    name: 'an update is reported as a creation',
    isFoundByComparison: false,
    break: ({ streams: [one] }) => one!.changes.splice(1, 1, { ...one!.changes[1]!, type: 'ADDED' }),
  },
];
