/** The newest state of a snapshot that an operator names. */
import { findSnapshot } from './find-snapshot.ts';
import { openFile } from './random-access.ts';
import { hasHash, readSnapshot, type SnapshotState, verifyHash } from './read-snapshot.ts';

export interface LoadedSnapshot {
  readonly state: SnapshotState;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
}

/** Reads the newest state of a snapshot or of a member's folder, and verifies its hash if it has one. */
export function loadSnapshot(path: string): LoadedSnapshot {
  const found = findSnapshot(path);
  const warnings = [...found.warnings];
  const file = openFile(found.path);
  try {
    if (hasHash(file)) verifyHash(file);
    else if (warnings.length === 0) warnings.push(`${path} has no SHA-256 at its end, so damage may go unnoticed`);
    return { state: readSnapshot(file), warnings };
  } finally {
    file.close();
  }
}
