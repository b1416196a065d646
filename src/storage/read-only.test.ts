import { expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { readOnly } from './read-only.ts';

it('a read-only store shows the items of the store it wraps and refuses every write with its reason', async () => {
  const inner = createMemoryStorage();
  await inner.create('registry/a', encodeUtf8('1'));
  const storage = readOnly(inner, 'it is a backup');
  expect(await storage.get('registry/a')).toMatchObject({ outcome: 'found' });
  const refused = { code: 'ReadOnly', message: 'it is a backup' };
  await expect(storage.create('registry/b', encodeUtf8('2'))).rejects.toMatchObject(refused);
  await expect(storage.delete('registry/a')).rejects.toMatchObject(refused);
  await storage.compact(2);
  expect(storage.horizon()).toBe(inner.horizon());
  await storage.stop();
  expect(() => inner.revision()).toThrow(/stopped/);
});
