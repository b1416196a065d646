import { afterEach, describe, expect, test, vi } from 'vitest';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe.each([
  ['node:crypto', undefined],
  ['Web Crypto', {}],
] as const)('random values of %s', (_, process) => {
  test('differ from each other', async () => {
    if (process !== undefined) vi.stubGlobal('process', process);
    const { randomBytes, randomUuid } = await import('./random.ts');
    const [first, second] = [randomBytes(32), randomBytes(32)];
    expect(first).toHaveLength(32);
    expect(first).not.toEqual(second);
    expect(randomUuid()).toMatch(UUID);
    expect(randomUuid()).not.toBe(randomUuid());
  });
});
