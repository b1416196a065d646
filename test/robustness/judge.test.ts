import { describe, expect, it } from 'vitest';
import { BROKEN_HISTORIES, exampleHistory } from './broken-histories.ts';
import { compare } from './judge.ts';

describe('the comparison of a history with the changes of etcd', () => {
  it('finds nothing in a correct history', () => {
    const { history, truth } = exampleHistory();
    expect(compare(history, truth)).toEqual([]);
  });

  for (const { name, isFoundByComparison, break: breakHistory } of BROKEN_HISTORIES)
    it(`${isFoundByComparison ? 'finds' : 'leaves to the validators of etcd'}: ${name}`, () => {
      const { history, truth } = exampleHistory();
      breakHistory(history);
      expect(compare(history, truth).length > 0).toBe(isFoundByComparison);
    });
});
