/** The last step of a restore and of an import: new parts of a data folder take the place of the former ones. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../storage/lmdb/folder.ts';
import { FORMER } from './restore-state.ts';

/**
 * Moves the former parts away and the new ones in, and removes the former ones. The parts are the entries of `staged`.
 * A server does not start if this is interrupted.
 */
export function moveIn(dataDir: string, staged: string): void {
  const former = join(dataDir, FORMER);
  mkdirSync(former, { recursive: true, mode: 0o700 });
  const parts = readdirSync(staged);
  // A server writes the kubeconfig at its next start, with the restored certificates.
  for (const name of [...parts, ...(parts.includes('pki') ? ['admin.kubeconfig'] : [])]) {
    const path = join(dataDir, name);
    if (!existsSync(path)) continue;
    // An interrupted move may have moved the former part already.
    if (existsSync(join(former, name))) rmSync(path, { recursive: true });
    else renameSync(path, join(former, name));
  }
  for (const name of parts) renameSync(join(staged, name), join(dataDir, name));
  syncFolder(dataDir);
  rmSync(former, { recursive: true });
  syncFolder(dataDir);
}
