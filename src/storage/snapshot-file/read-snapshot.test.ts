import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { isStorageError } from '../errors.ts';
import { snapshotFile, type TestRevision } from './bbolt.fixtures.ts';
import { PAGE_SIZE } from './bbolt-writer.ts';
import { memoryAccess } from './random-access.ts';
import { hasHash, readSnapshot, verifyHash } from './read-snapshot.ts';
import { writeSnapshotFile } from './write-file.ts';
import { writeSnapshot } from './write-snapshot.ts';

const file = (bytes: Uint8Array) => memoryAccess('backup.db', bytes);

function stateOf(revisions: readonly TestRevision[], options?: Parameters<typeof snapshotFile>[1]) {
  const { revision, items, records } = readSnapshot(file(snapshotFile(revisions, options)));
  return { revision, records, items: items.map(({ key, value, ...rest }) => [key, decodeUtf8(value), rest]) };
}

describe('a snapshot file', () => {
  it('gives the newest value of each key and leaves out deleted ones', () => {
    const state = stateOf([
      { revision: 2, key: '/registry/b', value: 'b1' },
      { revision: 3, key: '/registry/a', value: 'a1' },
      { revision: 4, key: '/registry/b', value: 'b2', created: 2 },
      { revision: 5, key: '/registry/c', value: 'c1' },
      { revision: 6, key: '/registry/c' },
      { revision: 7, key: '/registry/a' },
      { revision: 8, key: '/registry/a', value: 'a2' },
    ]);
    expect(state).toEqual({
      revision: 8,
      records: 7,
      items: [
        ['/registry/a', 'a2', { revision: 8, created: 8 }],
        ['/registry/b', 'b2', { revision: 4, created: 2 }],
      ],
    });
  });

  it('has branches over several levels, and values on overflow pages', () => {
    const revisions = Array.from({ length: 500 }, (_, i) => ({ revision: i + 2, key: `/k/${i}`, value: `v${i}` }));
    const large = { revision: 600, key: '/large', value: 'x'.repeat(3 * PAGE_SIZE) };
    const { items, revision } = stateOf([...revisions, large], { perLeaf: 3 });
    expect([items.length, revision]).toEqual([501, 600]);
    expect(items.at(-1)?.[1]).toBe(large.value);
  });

  it('may be empty, and is then at the revision of its compaction', () => {
    expect(stateOf([], { compacted: 41 })).toEqual({ revision: 41, records: 0, items: [] });
  });

  it('gives keys the time to live of their lease', () => {
    const value = encodeUtf8('v');
    const revisions = [
      { revision: 2, created: 2, key: '/a', value },
      { revision: 3, created: 3, key: '/b', value, lease: 1 },
      { revision: 4, created: 4, key: '/c', value, lease: 2 },
    ];
    const leases = [
      { id: 1, ttlSeconds: 60 },
      { id: 2, ttlSeconds: 3600 },
    ];
    const { items } = readSnapshot(file(writeSnapshot(revisions, { leases })));
    expect(items.map(({ key, ttlSeconds }) => [key, ttlSeconds])).toEqual([
      ['/a', undefined],
      ['/b', 60],
      ['/c', 3600],
    ]);
  });

  it('is written to disk with the same bytes as in memory, by its owner only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-snapshot-'));
    try {
      const value = encodeUtf8('x'.repeat(5000));
      const revisions = Array.from({ length: 600 }, (_, i) => ({ revision: i + 2, created: 2, key: `/k/${i}`, value }));
      const path = join(folder, 'snapshot.db');
      const size = writeSnapshotFile(path, revisions, { compacted: 700 });
      const written = readFileSync(path);
      expect([size, statSync(path).mode & 0o777]).toEqual([written.length, 0o600]);
      expect(written.equals(writeSnapshot(revisions, { compacted: 700 }))).toBe(true);
      expect(() => writeSnapshotFile(path, [], {})).toThrow(/EEXIST/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ends with the SHA-256 of its contents', () => {
    const bytes = snapshotFile([{ revision: 2, key: '/a', value: '1' }]);
    expect(hasHash(file(bytes))).toBe(true);
    expect(() => verifyHash(file(bytes))).not.toThrow();
    bytes[2 * PAGE_SIZE + 100]! ^= 1;
    expect(() => verifyHash(file(bytes))).toThrow(/SHA-256 at its end/);
    expect(hasHash(file(snapshotFile([], { hash: false })))).toBe(false);
  });

  it('is read through the second meta page if the first one is damaged', () => {
    const bytes = snapshotFile([{ revision: 2, key: '/a', value: '1' }]);
    bytes.fill(0, 0, 64);
    expect(readSnapshot(file(bytes)).items).toHaveLength(1);
    bytes.fill(0, PAGE_SIZE, PAGE_SIZE + 64);
    expect(() => readSnapshot(file(bytes))).toThrow(/backup.db: damaged at offset 0: it is not a bbolt database/);
  });

  it.each([
    ['a page of another type', (page: DataView) => page.setUint16(8, 0x10, true), /type 16 is neither/],
    ['a page with another id', (page: DataView) => page.setBigUint64(0, 9n, true), /says that it is page 9/],
    ['more elements than fit', (page: DataView) => page.setUint16(10, 60_000, true), /no room for its 60000/],
    ['an element outside of its page', (page: DataView) => page.setUint32(20, 70_000, true), /outside of its page/],
    ['more overflow pages than the file has', (page: DataView) => page.setUint32(12, 1e6, true), /truncated/],
  ])('with %s is refused with the offset', (_, damage, message) => {
    const bytes = snapshotFile([{ revision: 2, key: '/a', value: '1' }]);
    damage(new DataView(bytes.buffer, bytes.byteOffset + 2 * PAGE_SIZE));
    expect(() => readSnapshot(file(bytes))).toThrow(message);
    expect(() => readSnapshot(file(bytes))).toThrow(/damaged at offset \d+/);
  });

  it('with a cycle of pages is refused', () => {
    const revisions = Array.from({ length: 20 }, (_, i) => ({ revision: i + 2, key: `/k/${i}`, value: 'v' }));
    const bytes = snapshotFile(revisions, { perLeaf: 4 });
    // Pages 2 to 6 are leaves, 7 is the first branch. Its first child becomes the branch itself.
    new DataView(bytes.buffer, bytes.byteOffset + 7 * PAGE_SIZE).setBigUint64(24, 7n, true);
    expect(() => readSnapshot(file(bytes))).toThrow(/page 7 is used twice/);
  });

  it('that is truncated anywhere is refused', () => {
    const revisions = Array.from({ length: 40 }, (_, i) => ({ revision: i + 2, key: `/k/${i}`, value: 'v' }));
    const bytes = snapshotFile(revisions, { hash: false });
    for (let size = 0; size < bytes.byteLength - PAGE_SIZE; size += 500) {
      try {
        readSnapshot(file(bytes.subarray(0, size)));
        expect.unreachable(`${size} bytes were accepted`);
      } catch (caught) {
        expect(isStorageError(caught, 'Corrupt')).toBe(true);
      }
    }
  });
});
