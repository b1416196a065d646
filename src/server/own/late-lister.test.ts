import { describe, expect, test } from 'vitest';
import { LateLister } from './late-lister.ts';
import type { Lister, ListerChange } from './lister.ts';

/** A lister of one object, always fresh. */
function lister(): Lister & { stopped: number } {
  const object = { metadata: { name: 'a' } };
  const made = {
    stopped: 0,
    fresh: () => undefined,
    get: (_namespace: string, name: string) => (name === 'a' ? object : undefined),
    list: () => [object],
    subscribe: (listener: (changes: readonly ListerChange[]) => void) => {
      listener([{ namespace: '', name: 'a', object }]);
      return { stop: () => void made.stopped++ };
    },
  };
  return made;
}

describe('a lister before its store has started', () => {
  test('has nothing and is fresh only after the start', async () => {
    const late = new LateLister();
    let fresh = false;
    const waiting = Promise.resolve(late.fresh()).then(() => {
      fresh = true;
    });
    expect(late.get('', 'a')).toBeUndefined();
    expect(late.list()).toEqual([]);
    await Promise.resolve();
    expect(fresh).toBe(false);
    late.attach(lister());
    await waiting;
    expect(late.get('', 'a')).toBeDefined();
    expect(late.fresh()).toBeUndefined();
  });

  test('is current when the lister behind it is', async () => {
    const late = new LateLister();
    const waiting = Promise.resolve(late.current());
    let asked = 0;
    late.attach({ ...lister(), current: () => void asked++ });
    await waiting;
    expect(asked).toBe(1);
    const plain = new LateLister();
    plain.attach(lister());
    expect(plain.current()).toBeUndefined();
  });

  test('calls subscribers with the state when it is attached, and forgets those that stop', () => {
    const late = new LateLister();
    const seen: string[] = [];
    const subscribe = () => late.subscribe((changes) => void seen.push(...changes.map(({ name }) => name)));
    const [early, gone] = [subscribe(), subscribe()];
    gone.stop();
    const source = lister();
    late.attach(source);
    subscribe().stop();
    expect(seen).toEqual(['a', 'a']);
    early.stop();
    expect(source.stopped).toBe(2);
  });
});
