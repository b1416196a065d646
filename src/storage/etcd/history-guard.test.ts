import { describe, expect, it } from 'vitest';
import { HistoryGuard, stepHistory, UNKNOWN_HISTORY } from './history-guard.ts';

const header = (revision: number, clusterId = 'a') => ({ clusterId, revision });

describe('the history of an etcd cluster', () => {
  it('grows with each response, and ignores a response that was overtaken', () => {
    const first = stepHistory(UNKNOWN_HISTORY, header(10), 0);
    const second = stepHistory(first.history, header(12), 10);
    const late = stepHistory(second.history, header(11), 10);
    expect([first, second, late].map(({ restored }) => restored)).toEqual([false, false, false]);
    expect(late.history.revision).toBe(12);
  });

  it('was replaced if a linearizable answer is below what was known when it was asked for', () => {
    const restored: number[] = [];
    const guard = new HistoryGuard((revision) => restored.push(revision));
    guard.take(header(100), 0);
    guard.compacted(90);
    guard.take(header(40), 100);
    expect([restored, guard.revision, guard.horizon]).toEqual([[40], 40, 1]);
  });

  it('was replaced if the cluster has another id, even at a higher revision', () => {
    const restored: number[] = [];
    const guard = new HistoryGuard((revision) => restored.push(revision));
    guard.take(header(100), 0);
    guard.take(header(500, 'b'), 100);
    expect([restored, guard.revision]).toEqual([[500], 500]);
  });
});
