/** The fuzz targets of etcd snapshot files. */
import { isStorageError } from '../../src/storage/errors.ts';
import { snapshotFile } from '../../src/storage/snapshot-file/bbolt.fixtures.ts';
import { memoryAccess } from '../../src/storage/snapshot-file/random-access.ts';
import { readSnapshot } from '../../src/storage/snapshot-file/read-snapshot.ts';
import type { FuzzTarget } from './targets.ts';

const REVISIONS = Array.from({ length: 12 }, (_, i) =>
  i % 4 === 3 ? { revision: i + 2, key: '/r/1' } : { revision: i + 2, key: `/r/${i}`, value: `{"n":${i}}` },
);

export const snapshotTargets: readonly FuzzTarget[] = [
  {
    name: 'snapshot-file',
    corpus: [snapshotFile(REVISIONS, { perLeaf: 4, hash: false }), snapshotFile([], { compacted: 9 })],
    words: [
      Buffer.from([0xed, 0xda, 0x0c, 0xed]),
      Buffer.from([2, 0, 0, 0]),
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      'key',
    ],
    inputs: 0.2,
    run(input) {
      try {
        readSnapshot(memoryAccess('fuzz.db', input));
        return true;
      } catch (caught) {
        if (isStorageError(caught, 'Corrupt')) return false;
        throw caught;
      }
    },
  },
];
