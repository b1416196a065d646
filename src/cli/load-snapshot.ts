/** Reads a snapshot that a command line names. */
import { loadSnapshot } from '../storage/snapshot-file/load-snapshot.ts';
import type { SnapshotState } from '../storage/snapshot-file/read-snapshot.ts';

/** Reads the newest state of a snapshot or of a member's folder. Warnings go to standard error. */
export function loadNamedSnapshot(path: string): SnapshotState {
  const { state, warnings } = loadSnapshot(path);
  for (const warning of warnings) console.error(`warning: ${warning}`);
  return state;
}
