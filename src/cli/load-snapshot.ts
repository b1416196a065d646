/** Reads a snapshot that a command line names. */
import { findSnapshot } from '../storage/snapshot-file/find-snapshot.ts';
import { openFile } from '../storage/snapshot-file/random-access.ts';
import { hasHash, readSnapshot, type SnapshotState, verifyHash } from '../storage/snapshot-file/read-snapshot.ts';

/** Reads the newest state of a snapshot or of a member's folder. Warnings go to standard error. */
export function loadSnapshot(path: string): SnapshotState {
  const found = findSnapshot(path);
  for (const warning of found.warnings) console.error(`warning: ${warning}`);
  const file = openFile(found.path);
  try {
    if (hasHash(file)) verifyHash(file);
    else if (found.warnings.length === 0)
      console.error(`warning: ${path} has no SHA-256 at its end, so damage may go unnoticed`);
    return readSnapshot(file);
  } finally {
    file.close();
  }
}
