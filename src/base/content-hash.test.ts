import { expect, test } from 'vitest';
import { encodeUtf8 } from './bytes.ts';
import { contentHash } from './content-hash.ts';

test('names are the same on every run', () => {
  expect(contentHash(encodeUtf8(''))).toMatch(/^[0-9A-F]{32}$/);
  expect(contentHash(encodeUtf8('abc'))).toBe(contentHash(encodeUtf8('abc')));
});

test('where the bytes lie in their buffer does not matter', () => {
  const whole = new Uint8Array(64).map((_, i) => i);
  for (const [from, to] of [
    [0, 32],
    [1, 33],
    [4, 36],
    [3, 20],
  ] as const)
    expect(contentHash(whole.subarray(from, to))).toBe(contentHash(whole.slice(from, to)));
});

test('one bit, one byte more and an exchange of words change about half of the name', () => {
  const bytes = new Uint8Array(1000).map((_, i) => (i * 7) % 251);
  const names = new Set([contentHash(bytes)]);
  const bits = (name: string): bigint => BigInt(`0x${name}`);
  const differing = (x: bigint): number => [...x.toString(2)].filter((bit) => bit === '1').length;
  let total = 0;
  for (let i = 0; i < 200; i++) {
    const changed = bytes.slice();
    const at = (i * 37) % bytes.length;
    changed[at] = (changed[at] as number) ^ (1 << (i % 8));
    const name = contentHash(changed);
    names.add(name);
    total += differing(bits(name) ^ bits(contentHash(bytes)));
  }
  expect(names.size).toBe(201);
  expect(total / 200).toBeGreaterThan(54);
  expect(total / 200).toBeLessThan(74);
  expect(contentHash(new Uint8Array(16))).not.toBe(contentHash(new Uint8Array(17)));
  const swapped = Uint8Array.from([...bytes.subarray(16, 32), ...bytes.subarray(0, 16), ...bytes.subarray(32)]);
  expect(contentHash(swapped)).not.toBe(contentHash(bytes));
});
