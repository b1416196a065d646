import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import { guaranteedUpdate, type UpdateDecision } from './guaranteed-update.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import type { KeyValue, Storage } from './storage.ts';
import { bytes, overwrite, put, readText, text } from './suite/context.ts';

async function item(storage: Storage, key: string): Promise<KeyValue> {
  const result = await storage.get(key);
  if (result.outcome !== 'found') throw new Error(`${key} is missing`);
  return result.item;
}

function write(value: string): UpdateDecision<never> {
  return { type: 'write', value: bytes(value) };
}

describe('guaranteedUpdate', () => {
  const open = () => createMemoryStorage({ clock: new VirtualClock() });

  it('creates and changes a key, and returns the new state', async () => {
    const storage = open();
    const created = await guaranteedUpdate(storage, 'a', () => write('one'));
    expect(created).toEqual({ outcome: 'ok', item: await item(storage, 'a'), changed: true });
    const changed = await guaranteedUpdate(storage, 'a', (current) => write(`${text(current!.value)} two`));
    expect(changed).toEqual({ outcome: 'ok', item: await item(storage, 'a'), changed: true });
    expect(await readText(storage, 'a')).toBe('one two');
  });

  it('writes nothing for equal bytes', async () => {
    const storage = open();
    await put(storage, 'a', 'x');
    const before = await item(storage, 'a');
    expect(await guaranteedUpdate(storage, 'a', () => write('x'))).toEqual({
      outcome: 'ok',
      item: before,
      changed: false,
    });
    expect(await storage.revision()).toBe(before.revision);
  });

  it('retries with the state that caused the conflict', async () => {
    const storage = open();
    await put(storage, 'a', '0');
    let interfered = 0;
    const result = await guaranteedUpdate(storage, 'a', async (current) => {
      if (interfered < 3) await overwrite(storage, 'a', `${++interfered}`);
      return write(`${text(current!.value)}+`);
    });
    expect(result).toMatchObject({ outcome: 'ok', changed: true });
    expect(await readText(storage, 'a')).toBe('3+');
  });

  it('loses no update of many concurrent ones, also with cached states', async () => {
    const storage = open();
    await put(storage, 'n', '0');
    const cached = await item(storage, 'n');
    const increment = (current: KeyValue | undefined) => write(String(Number(text(current!.value)) + 1));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => guaranteedUpdate(storage, 'n', increment, i % 2 === 0 ? { cached } : {})),
    );
    expect(await readText(storage, 'n')).toBe('40');
  });

  it('starts from a cached state without a read', async () => {
    const storage = open();
    await put(storage, 'a', 'x');
    const cached = await item(storage, 'a');
    let reads = 0;
    const counted = Object.assign(storage, { get: () => ++reads as never });
    expect(await guaranteedUpdate(counted, 'a', () => write('y'), { cached })).toMatchObject({ outcome: 'ok' });
    expect(reads).toBe(0);
  });

  it('runs the update again on the stored state before it reports a refusal or an error', async () => {
    const storage = open();
    await put(storage, 'a', 'old');
    const cached = await item(storage, 'a');
    await overwrite(storage, 'a', 'new');
    const seen: string[] = [];
    const refusing = await guaranteedUpdate<string>(
      storage,
      'a',
      (current) => {
        seen.push(text(current!.value));
        return text(current!.value) === 'old' ? { type: 'refuse', reason: 'outdated' } : write('refused first');
      },
      { cached },
    );
    expect(refusing).toMatchObject({ outcome: 'ok' });
    expect(seen).toEqual(['old', 'new']);
    await guaranteedUpdate(
      storage,
      'a',
      (current) => {
        if (text(current!.value) === 'old') throw new Error('outdated');
        return write('threw first');
      },
      { cached },
    );
    expect(await readText(storage, 'a')).toBe('threw first');
  });

  it('does not run the update twice if the cached state is current', async () => {
    const storage = open();
    await put(storage, 'a', 'x');
    const cached = await item(storage, 'a');
    let asked = 0;
    const refused = await guaranteedUpdate<string>(
      storage,
      'a',
      () => {
        asked++;
        return { type: 'refuse', reason: 'invalid' };
      },
      { cached },
    );
    expect(refused).toEqual({ outcome: 'refused', reason: 'invalid', current: cached });
    const failing = (): never => {
      asked++;
      throw new Error('invalid');
    };
    await expect(guaranteedUpdate(storage, 'a', failing, { cached })).rejects.toThrow('invalid');
    expect(asked).toBe(2);
  });

  it('starts again if the cached key is deleted', async () => {
    const storage = open();
    await put(storage, 'a', 'x');
    const cached = await item(storage, 'a');
    await storage.delete('a');
    const result = await guaranteedUpdate<string>(
      storage,
      'a',
      (current) => (current === undefined ? { type: 'refuse', reason: 'missing' } : write('y')),
      { cached },
    );
    expect(result).toEqual({ outcome: 'refused', reason: 'missing', current: undefined });
  });

  it('stops after the given number of attempts', async () => {
    const storage = open();
    await put(storage, 'a', '0');
    let n = 0;
    const result = await guaranteedUpdate(
      storage,
      'a',
      async () => {
        await overwrite(storage, 'a', `other ${++n}`);
        return write('mine');
      },
      { maxAttempts: 5 },
    );
    expect(n).toBe(5);
    expect(result).toMatchObject({ outcome: 'conflict', current: { value: bytes('other 5') } });
  });

  it('stops at the signal', async () => {
    const storage = open();
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(guaranteedUpdate(storage, 'a', () => write('x'), { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
  });
});
