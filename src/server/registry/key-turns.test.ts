import { describe, expect, it } from 'vitest';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { KeyTurns } from './key-turns.ts';

describe('the turns of a key', () => {
  it('are given in order of arrival, and the map is empty afterwards', async () => {
    const turns = new KeyTurns(new VirtualClock());
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      expect(await turns.take('k')).toBe(true);
      order.push(name);
      await settle();
      turns.release('k');
    };
    await Promise.all(['a', 'b', 'c'].map(work));
    expect(order).toEqual(['a', 'b', 'c']);
    expect(turns.isTaken('k')).toBe(false);
  });

  it('do not wait for those of other keys', async () => {
    const turns = new KeyTurns(new VirtualClock());
    expect(await turns.take('k')).toBe(true);
    expect([turns.isTaken('k'), turns.isTaken('l')]).toEqual([true, false]);
    expect(await turns.take('l')).toBe(true);
  });

  it('that are never released are waited for one second, and later turns are still given', async () => {
    const clock = new VirtualClock();
    const turns = new KeyTurns(clock);
    await turns.take('k');
    const impatient = turns.take('k');
    await clock.advance(600);
    const next = turns.take('k');
    await clock.advance(500);
    expect(await impatient).toBe(false);
    turns.release('k');
    expect(await next).toBe(true);
    turns.release('k');
    expect(turns.isTaken('k')).toBe(false);
  });
});
