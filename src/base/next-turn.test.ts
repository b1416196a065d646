import { expect, it } from 'vitest';
import { nextTurn } from './next-turn.ts';
import { settle } from './virtual-clock.ts';

it('a callback of the next turn runs after all microtasks', async () => {
  const order: string[] = [];
  nextTurn(() => order.push('turn'));
  await Promise.resolve();
  order.push('microtask');
  await settle();
  expect(order).toEqual(['microtask', 'turn']);
});
