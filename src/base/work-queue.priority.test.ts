import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from './random.fixtures.ts';
import { LOWER_SHARE } from './ready-keys.ts';
import { createQueue, takeAll } from './work-queue.fixtures.ts';
import { LOW_PRIORITY } from './work-queue.ts';

describe('priorities of a WorkQueue', () => {
  it('order the keys; keys of one priority come in the order in which they became ready', async () => {
    const { queue } = createQueue();
    queue.add('low 1', LOW_PRIORITY);
    queue.add('normal 1');
    queue.add('high 1', 7);
    queue.add('low 2', LOW_PRIORITY);
    queue.add('high 2', 7);
    queue.add('normal 2');
    expect(queue.length).toBe(6);
    expect(await takeAll(queue)).toEqual(['high 1', 'high 2', 'normal 1', 'normal 2', 'low 1', 'low 2']);
  });

  it('of a ready key are raised by a later add, which puts it behind the keys of the higher priority', async () => {
    const { queue } = createQueue();
    queue.add('a', LOW_PRIORITY);
    queue.add('b', LOW_PRIORITY);
    queue.add('c');
    queue.add('b');
    queue.addAfter('a', 1000, 5);
    expect(queue.length).toBe(3);
    expect(await takeAll(queue)).toEqual(['a', 'c', 'b']);
  });

  it('of a ready key are not lowered, and its place is kept', async () => {
    const { queue } = createQueue();
    for (const key of ['a', 'b']) queue.add(key);
    queue.add('a', LOW_PRIORITY);
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('of a delayed key are the highest of its adds, whichever add sets the time', async () => {
    const { queue, clock } = createQueue();
    queue.addAfter('raised', 10, LOW_PRIORITY);
    queue.addAfter('raised', 20, 3);
    queue.addAfter('earlier', 20, 3);
    queue.addAfter('earlier', 10, LOW_PRIORITY);
    queue.addAfter('now', 10, 3);
    queue.add('now', LOW_PRIORITY);
    queue.add('low', LOW_PRIORITY);
    queue.addAfter('stays low', 10, LOW_PRIORITY);
    await clock.advance(10);
    queue.add('normal');
    expect(await takeAll(queue)).toEqual(['now', 'raised', 'earlier', 'normal', 'low', 'stays low']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('of a key that is added during its processing count after it is done', async () => {
    const { queue } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('a', LOW_PRIORITY);
    queue.add('b');
    queue.done('a');
    queue.add('c');
    expect(await takeAll(queue)).toEqual(['b', 'c', 'a']);
    queue.add('a');
    await queue.get();
    queue.add('a', LOW_PRIORITY);
    queue.add('a', 1);
    queue.add('b');
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('of a hand-out are those of its retries', async () => {
    const { queue, clock } = createQueue();
    queue.add('a', LOW_PRIORITY);
    await queue.get();
    expect([queue.priority('a'), queue.priority('b')]).toEqual([LOW_PRIORITY, 0]);
    queue.addRateLimited('a');
    queue.done('a');
    expect(queue.priority('a')).toBe(0);
    await clock.advance(5);
    queue.add('b');
    expect(await takeAll(queue)).toEqual(['b', 'a']);
  });

  it('do not starve lower ones: after ten keys of one priority a key of the lower ones is taken', async () => {
    const { queue } = createQueue();
    queue.add('low', LOW_PRIORITY);
    const taken: string[] = [];
    for (let i = 0; i <= LOWER_SHARE + 1; i++) {
      queue.add(`${i}`);
      const key = (await queue.get()) as string;
      taken.push(key);
      queue.done(key);
    }
    expect(taken.indexOf('low')).toBe(LOWER_SHARE);
    expect(taken.slice(0, 3)).toEqual(['0', '1', '2']);
  });

  it('share what is left to lower ones by the same rule', async () => {
    const { queue } = createQueue();
    for (let i = 0; i < 30; i++) {
      queue.add(`m${i}`, 1);
      queue.add(`l${i}`, -1);
    }
    let middle = 0;
    let low = 0;
    for (let i = 0; i < 121 * 2; i++) {
      queue.add(`h${i}`, 2);
      const key = (await queue.get()) as string;
      if (key.startsWith('m')) middle++;
      if (key.startsWith('l')) low++;
      queue.done(key);
    }
    expect([middle, low]).toEqual([20, 2]);
  });
});

/** The rules of the queue over plain lists, without any thought for speed. */
class Model {
  ready: { key: string; priority: number }[] = [];
  again = new Map<string, number>();
  processing = new Map<string, number>();
  delayed: { key: string; due: number; order: number; priority: number }[] = [];
  taken = new Map<number, number>();
  now = 0;
  order = 0;

  add(key: string, priority: number): void {
    const delayed = this.delayed.find((each) => each.key === key);
    this.delayed = this.delayed.filter((each) => each !== delayed);
    this.addNow(key, Math.max(priority, delayed?.priority ?? priority));
  }

  addNow(key: string, priority: number): void {
    const present = this.ready.find((each) => each.key === key);
    if (this.processing.has(key)) this.again.set(key, Math.max(priority, this.again.get(key) ?? priority));
    else if (present === undefined) this.ready.push({ key, priority });
    else if (present.priority < priority) {
      this.ready = this.ready.filter((each) => each !== present);
      this.ready.push({ key, priority });
    }
  }

  addAfter(key: string, delayMs: number, priority: number): void {
    const pending = this.delayed.find((each) => each.key === key);
    if (delayMs <= 0) this.add(key, priority);
    else if (this.ready.some((each) => each.key === key) || this.again.has(key)) this.addNow(key, priority);
    else if (pending === undefined) this.delayed.push({ key, due: this.now + delayMs, order: this.order++, priority });
    else {
      pending.priority = Math.max(priority, pending.priority);
      if (this.now + delayMs < pending.due) {
        pending.due = this.now + delayMs;
        pending.order = this.order++;
      }
    }
  }

  advance(byMs: number): void {
    this.now += byMs;
    for (const due of this.delayed
      .filter((each) => each.due <= this.now)
      .sort((a, b) => a.due - b.due || a.order - b.order))
      this.add(due.key, due.priority);
  }

  get(): string {
    const priorities = [...new Set(this.ready.map((each) => each.priority))].sort((a, b) => b - a);
    const chosen = priorities.find((priority, i) => {
      if (i === priorities.length - 1) return true;
      const taken = this.taken.get(priority) ?? 0;
      this.taken.set(priority, taken < LOWER_SHARE ? taken + 1 : 0);
      return taken < LOWER_SHARE;
    });
    const next = this.ready.find((each) => each.priority === chosen) as { key: string; priority: number };
    this.ready = this.ready.filter((each) => each !== next);
    if (this.ready.length === 0) this.taken.clear();
    this.processing.set(next.key, next.priority);
    return next.key;
  }

  done(key: string): void {
    this.processing.delete(key);
    const priority = this.again.get(key);
    this.again.delete(key);
    if (priority !== undefined) this.addNow(key, priority);
  }
}

describe('a WorkQueue and its model', () => {
  it('hand out the same keys over random calls', async () => {
    for (let seed = 1; seed <= 80; seed++) {
      const trace: string[] = [];
      try {
        await compare(createRandom(seed), trace);
      } catch (caught) {
        throw new Error(`seed ${seed} after ${trace.slice(-20).join(', ')}`, { cause: caught });
      }
    }
  });
});

async function compare(random: Random, trace: string[]): Promise<void> {
  const { queue, clock } = createQueue();
  const model = new Model();
  const keys = Array.from({ length: 2 + random.int(20) }, (_, i) => `k${i}`);
  const priorities = [0, 0, 0, LOW_PRIORITY, LOW_PRIORITY, 5, -1];
  for (let i = 0; i < 300; i++) {
    const choice = random.next();
    const key = random.pick(keys);
    const priority = random.pick(priorities);
    if (choice < 0.4) {
      trace.push(`add ${key} ${priority}`);
      queue.add(key, priority);
      model.add(key, priority);
    } else if (choice < 0.55) {
      const delayMs = random.int(30) - 2;
      trace.push(`addAfter ${key} ${delayMs} ${priority}`);
      queue.addAfter(key, delayMs, priority);
      model.addAfter(key, delayMs, priority);
    } else if (choice < 0.65) {
      const byMs = random.int(20);
      trace.push(`advance ${byMs}`);
      await clock.advance(byMs);
      model.advance(byMs);
    } else if (choice < 0.85) {
      if (queue.length === 0) continue;
      const got = await queue.get();
      trace.push(`get ${got}`);
      expect(got).toBe(model.get());
    } else {
      const processed = [...model.processing.keys()];
      if (processed.length === 0) continue;
      const done = random.pick(processed);
      trace.push(`done ${done}`);
      queue.done(done);
      model.done(done);
    }
    expect([queue.length, queue.priority(key)]).toEqual([model.ready.length, model.processing.get(key) ?? 0]);
  }
}
