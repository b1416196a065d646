/** Makes snapshot files for tests. */
import { encodeUtf8 } from '../../base/bytes.ts';
import { type WriteSnapshotOptions, writeSnapshot } from './write-snapshot.ts';

/** One revision of a key. Without a value: a deletion. */
export interface TestRevision {
  readonly revision: number;
  readonly key: string;
  readonly value?: string;
  readonly created?: number;
}

export function snapshotFile(revisions: readonly TestRevision[], options?: WriteSnapshotOptions): Uint8Array {
  const written = revisions.map(({ revision, key, value, created = revision }) => ({
    revision,
    key,
    created,
    ...(value !== undefined && { value: encodeUtf8(value) }),
  }));
  return writeSnapshot(written, options);
}
