import { describe, expect, it, vi } from 'vitest';
import { differingTwice, type SecondTry } from '../../compat/common/twice.ts';

interface Line {
  readonly script: string;
  readonly line: string;
  readonly differences: readonly string[];
}

const line = (script: string, text: string, ...differences: string[]): Line => ({ script, line: text, differences });

function tryWith(second: readonly Line[], asked: string[][] = []): SecondTry<Line> {
  return {
    differing: (lines) => lines.filter(({ differences }) => differences.length > 0),
    partOf: ({ script }) => script,
    nameOf: (one) => one.line,
    run: (parts) => {
      asked.push([...parts]);
      return Promise.resolve(second.filter(({ script }) => parts.has(script)));
    },
  };
}

describe('differingTwice', () => {
  it('runs nothing again if nothing differs', async () => {
    const asked: string[][] = [];
    const first = [line('a', 'get'), line('b', 'get')];
    expect(await differingTwice(first, tryWith([], asked))).toEqual(first);
    expect(asked).toEqual([]);
  });

  it('keeps a difference that occurs again, and reports one that does not', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      const asked: string[][] = [];
      const first = [line('a', 'get', 'x'), line('a', 'list', 'y'), line('b', 'get')];
      const second = [line('a', 'get', 'z'), line('a', 'list'), line('b', 'get', 'not asked for')];
      const judged = await differingTwice(first, tryWith(second, asked));
      expect(judged).toEqual([line('a', 'get', 'x'), line('a', 'list'), line('b', 'get')]);
      expect(asked).toEqual([['a']]);
      expect(log.mock.calls).toEqual([['differed once, and not again: a / list\n  ["y"]']]);
    } finally {
      log.mockRestore();
    }
  });

  it('distinguishes repetitions of the same request by their order', async () => {
    const first = [line('a', 'get'), line('a', 'get', 'x')];
    const second = [line('a', 'get'), line('a', 'get', 'x')];
    expect(await differingTwice(first, tryWith(second))).toEqual(first);
  });

  it('keeps a difference that the second run did not reach', async () => {
    const first = [line('a', 'get', 'x')];
    expect(await differingTwice(first, tryWith([]))).toEqual(first);
  });
});
