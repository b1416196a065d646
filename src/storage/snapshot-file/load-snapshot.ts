/** Loads the newest state of an etcd snapshot, from a path that the operator has given. */
import { findSnapshot } from './find-snapshot.ts';
import { type OpenFile, openFile } from './random-access.ts';
import {
  hasHash,
  type IndexedItem,
  indexSnapshot,
  readIndexed,
  readSnapshot,
  type SnapshotState,
  verifyHash,
} from './read-snapshot.ts';

export interface LoadedSnapshot {
  readonly state: SnapshotState;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
}

/** An open snapshot without its values. */
export interface OpenSnapshot {
  readonly state: SnapshotState<IndexedItem>;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
  value(item: IndexedItem): Uint8Array;
  close(): void;
}

/** Reads the newest state of a snapshot or of a member's folder, and verifies its hash if it has one. */
export function loadSnapshot(path: string): LoadedSnapshot {
  const { file, warnings } = openVerified(path);
  try {
    return { state: readSnapshot(file), warnings };
  } finally {
    file.close();
  }
}

/** Like `loadSnapshot`, but values are read on demand. */
export function openSnapshot(path: string): OpenSnapshot {
  const { file, warnings } = openVerified(path);
  try {
    const state = indexSnapshot(file);
    return { state, warnings, value: (item) => readIndexed(file, item), close: () => file.close() };
  } catch (caught) {
    file.close();
    throw caught;
  }
}

function openVerified(path: string): { readonly file: OpenFile; readonly warnings: readonly string[] } {
  const found = findSnapshot(path);
  const warnings = [...found.warnings];
  const file = openFile(found.path);
  try {
    if (hasHash(file)) verifyHash(file);
    else if (warnings.length === 0) warnings.push(`${path} has no SHA-256 at its end, so damage may go unnoticed`);
    return { file, warnings };
  } catch (caught) {
    file.close();
    throw caught;
  }
}
