import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskRoom } from './disk-room.ts';

const PAGE = 4096;
const GIGABYTE = 2 ** 30;
const ONE = { requests: 1, bytes: 100, pruned: 0 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-room-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function room(path: string, lastPage = 1): DiskRoom {
  return new DiskRoom({ dataFile: path, pageSize: PAGE, lastPage: () => lastPage });
}

describe('the room of a commit', () => {
  it('is not reserved while the disk has plenty of it', () => {
    const path = join(folder, 'data');
    writeFileSync(path, Buffer.alloc(2 * PAGE));
    expect(room(path).check(ONE)).toBeUndefined();
    expect(statSync(path).size).toBe(2 * PAGE);
  });

  it('is reserved behind the last page after a failed write, once', () => {
    const path = join(folder, 'data');
    writeFileSync(path, Buffer.alloc(2 * PAGE, 'x'));
    const checked = room(path);
    checked.failed();
    expect(checked.check(ONE)).toBeUndefined();
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(60 * PAGE);
    expect(checked.check(ONE)).toBeUndefined();
    expect(statSync(path).size).toBe(size);
  });

  it.skipIf(process.platform !== 'linux')('is missing if the file cannot grow', () => {
    const checked = room('/dev/full');
    checked.failed();
    expect(checked.check(ONE)).toMatchObject({ code: 'ENOSPC' });
    expect(checked.check(ONE)).toMatchObject({ code: 'ENOSPC' });
  });

  it('is asked for once a second while there is plenty, and by every commit otherwise', () => {
    const path = join(folder, 'data');
    writeFileSync(path, Buffer.alloc(2 * PAGE));
    let now = 0;
    let free = 4 * GIGABYTE;
    let asked = 0;
    const freeBytes = (): number => {
      asked++;
      return free;
    };
    const clock = { monotonic: () => now };
    const checked = new DiskRoom({ dataFile: path, pageSize: PAGE, lastPage: () => 1, clock, freeBytes });
    const askedBy = (size = ONE): number => {
      const before = asked;
      expect(checked.check(size)).toBeUndefined();
      return asked - before;
    };
    expect([askedBy(), askedBy()]).toEqual([1, 0]);
    now = 1000;
    expect([askedBy(), askedBy()]).toEqual([1, 0]);
    // The second commit would use more than half of the free bytes, so the disk is asked again.
    const large = { ...ONE, bytes: 0.75 * GIGABYTE };
    expect([askedBy(large), askedBy(large), askedBy()]).toEqual([0, 1, 0]);
    checked.failed();
    expect(askedBy()).toBe(1);
    free = GIGABYTE / 2;
    now = 3000;
    expect([askedBy(), askedBy()]).toEqual([1, 1]);
    expect(statSync(path).size).toBeGreaterThan(60 * PAGE);
  });

  it('is missing if the file is not there', () => {
    expect(room(join(folder, 'absent')).check(ONE)).toMatchObject({ code: 'ENOENT' });
  });
});
