import { describe, expect, it } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { settle } from '../base/virtual-clock.ts';
import { writeList } from './list-writer.ts';

const header = encodeUtf8('{"items":[');
const footer = encodeUtf8(']}');
const items = (count: number): Uint8Array[] => Array.from({ length: count }, (_, i) => encodeUtf8(String(i)));

describe('writeList', () => {
  it('writes header, items with commas between them, and footer, in groups of 64 items', () => {
    for (const count of [0, 1, 63, 64, 65, 200]) {
      const writes: (readonly Uint8Array[])[] = [];
      expect(writeList({ write: (chunks) => void writes.push(chunks) }, items(count), header, footer)).toBeUndefined();
      const text = decodeUtf8(concatBytes(writes.flat()));
      expect(JSON.parse(text)).toEqual({ items: Array.from({ length: count }, (_, i) => i) });
      expect(writes).toHaveLength(Math.max(1, Math.ceil(count / 64)));
    }
  });

  it('hands over the items themselves, not copies', () => {
    const list = items(2);
    const chunks: Uint8Array[] = [];
    void writeList({ write: (more) => void chunks.push(...more) }, list, header, footer);
    expect(chunks.filter((chunk) => list.includes(chunk))).toEqual(list);
  });

  it('pauses until the sink is ready', async () => {
    const resolvers: (() => void)[] = [];
    const chunks: Uint8Array[] = [];
    const done = writeList(
      {
        write: (more) => {
          chunks.push(...more);
          return new Promise<void>((resolve) => void resolvers.push(resolve));
        },
      },
      items(130),
      header,
      footer,
    );
    await settle();
    expect(resolvers).toHaveLength(1);
    for (let i = 0; i < 3; i++) {
      resolvers[i]!();
      await settle();
    }
    await done;
    expect(JSON.parse(decodeUtf8(concatBytes(chunks))).items).toHaveLength(130);
  });

  it('stops where the sink fails', async () => {
    let writes = 0;
    const failing = {
      write: (): Promise<void> => {
        writes++;
        return Promise.reject(new Error('gone'));
      },
    };
    await expect(writeList(failing, items(200), header, footer)).rejects.toThrow('gone');
    expect(writes).toBe(1);
  });
});
