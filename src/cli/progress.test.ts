import { describe, expect, it } from 'vitest';
import { Progress } from './progress.ts';

function progressOn(isTTY: boolean): { progress: Progress; written: string[]; wait: (ms: number) => void } {
  const written: string[] = [];
  let time = 0;
  const stream = { isTTY, write: (text: string) => written.push(text) };
  return {
    progress: new Progress({ stream, now: () => time }),
    written,
    wait: (ms) => {
      time += ms;
    },
  };
}

describe('the progress line', () => {
  it('appears after the delay, changes at intervals and leaves nothing', () => {
    const { progress, written, wait } = progressOn(true);
    progress.step('checking', 1, 9);
    wait(500);
    progress.step('checking', 2, 9);
    wait(50);
    progress.step('checking', 3, 9);
    wait(50);
    progress.step('checking', 4, 9);
    progress.end();
    progress.end();
    expect(written).toEqual(['\r\x1b[Kchecking: 2 of 9', '\r\x1b[Kchecking: 4 of 9', '\r\x1b[K']);
  });

  it('is not written to a file or pipe, nor for short work', () => {
    const piped = progressOn(false);
    piped.wait(5_000);
    piped.progress.step('checking', 1, 2);
    piped.progress.end();
    const short = progressOn(true);
    short.progress.step('checking', 1, 2);
    short.progress.end();
    expect([...piped.written, ...short.written]).toEqual([]);
  });
});
