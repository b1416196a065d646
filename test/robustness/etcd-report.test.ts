import { describe, expect, it } from 'vitest';
import { exampleHistory } from './broken-histories.ts';
import { toEtcdReport } from './etcd-report.ts';
import type { History } from './history.ts';

function deletes(history: History, ...outcomes: readonly ('ok' | 'unknown')[]): void {
  const index = history.operations.findIndex(({ kind }) => kind === 'delete');
  const operation = history.operations[index]!;
  const made = outcomes.map((outcome, i) => ({ ...operation, outcome, client: 20 + i, call: operation.call + i }));
  history.operations.splice(index, 1, ...(made as History['operations']));
}

/** The answers to requests that delete. */
function deleteAnswers(history: History): readonly unknown[] {
  const { clients } = toEtcdReport(history, exampleHistory().truth);
  return clients
    .flatMap(({ operations }) => operations)
    .filter(({ Input }) => JSON.stringify(Input).includes('delete-operation'))
    .map(({ Output }) => Output);
}

describe('the report of a history for the validators of etcd', () => {
  it('numbers the changes from 2 on, in the order of etcd', () => {
    const { history, truth } = exampleHistory();
    const { clients, persisted } = toEtcdReport(history, truth);
    expect(persisted).toHaveLength(truth.length);
    const [first] = clients.flatMap(({ watches }) => watches);
    expect(first?.Request.Revision).toBe(3);
    expect(first?.Responses.map(({ Revision, IsProgressNotify }) => [Revision, IsProgressNotify])).toEqual([
      [3, false],
      [4, false],
      [4, true],
      [5, false],
      [6, false],
      [7, false],
    ]);
  });

  it('leaves the revision of a read of one object open and fills in the version of its key', () => {
    const { history, truth } = exampleHistory();
    const read = toEtcdReport(history, truth)
      .clients.flatMap(({ operations }) => operations)
      .find(({ Input }) => Input.Type === 'range' && Input.Range.Start === 'k0');
    expect(read?.Output).toEqual({
      Range: { KVs: [{ Key: 'k0', Value: { Value: 'v0-2' }, ModRevision: 4, Version: 2 }], Count: 1 },
      Revision: 0,
    });
  });

  it('gives a delete without an answer the revision at which the object was deleted', () => {
    const { history } = exampleHistory();
    deletes(history, 'unknown');
    expect(deleteAnswers(history)).toEqual([{ Persisted: true, PersistedRevision: 6 }]);
  });

  it('drops deletes without an answer that did not take place', () => {
    const { history } = exampleHistory();
    deletes(history, 'unknown', 'ok', 'unknown');
    expect(deleteAnswers(history)).toEqual([{ Txn: { Failure: false, Results: [{ Deleted: 1 }] }, Revision: 6 }]);
    const again = exampleHistory().history;
    deletes(again, 'unknown', 'unknown');
    expect(deleteAnswers(again)).toHaveLength(1);
  });

  it('starts a new stream after an operation without an answer, which lasts until the end', () => {
    const { history, truth } = exampleHistory();
    const operations = toEtcdReport(history, truth).clients.flatMap((client) => client.operations);
    const open = operations.filter(({ Output }) => 'Error' in Output);
    expect(open).toHaveLength(2);
    expect(new Set(open.map(({ ClientId }) => ClientId)).size).toBe(2);
    const last = Math.max(...history.operations.map((operation) => operation.return)) * 1000;
    expect(open.every(({ Return }) => Return > last)).toBe(true);
  });

  it('makes a change that no client asked for a request without a condition', () => {
    const { history, truth } = exampleHistory();
    const { persisted } = toEtcdReport(history, [...truth, { type: 'put', key: 'k1', value: 'v7-7', rv: 160 }]);
    expect(persisted.at(-1)).toMatchObject({ Txn: { Conditions: [] } });
  });
});
