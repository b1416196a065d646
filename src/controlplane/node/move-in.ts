/** The last step of a restore and of an import: it replaces the old parts of a data folder by the new ones. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../storage/lmdb/folder.ts';
import { FORMER } from './restore-state.ts';

/**
 * Moves the old parts to the folder FORMER, moves the entries of `staged` into the data folder, and removes FORMER. If
 * this is interrupted, no server starts, and running it again finishes it.
 */
export function moveIn(dataDir: string, staged: string): void {
  const former = join(dataDir, FORMER);
  mkdirSync(former, { recursive: true, mode: 0o700 });
  const parts = readdirSync(staged);
  // The old kubeconfig is moved, too: a server writes a new one at its next start, with the restored certificates.
  for (const name of [...parts, ...(parts.includes('pki') ? ['admin.kubeconfig'] : [])]) {
    const path = join(dataDir, name);
    if (!existsSync(path)) continue;
    // An interrupted run may have moved the old part already.
    if (existsSync(join(former, name))) rmSync(path, { recursive: true });
    else renameSync(path, join(former, name));
  }
  for (const name of parts) renameSync(join(staged, name), join(dataDir, name));
  syncFolder(dataDir);
  rmSync(former, { recursive: true });
  syncFolder(dataDir);
}
