/** Temporary data folders for tests of the LMDB driver. Each folder is removed when its test ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeFolder(onEnd: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-lmdb-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Flips one bit `offset` bytes after each occurrence of `marker` in the data file. Returns the number of occurrences.
 */
export function damage(folder: string, marker: string, offset = 0): number {
  const path = join(folder, 'data.mdb');
  const bytes = readFileSync(path);
  let found = 0;
  for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
    bytes[at + offset] = (bytes[at + offset] as number) ^ 1;
    found++;
  }
  writeFileSync(path, bytes);
  return found;
}
