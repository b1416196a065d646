import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureSecretFolder } from './secret-file.ts';

describe('ensureSecretFolder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-secret-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('makes the parents, all with mode 0700', async () => {
    await ensureSecretFolder(join(folder, 'a', 'b'));
    for (const path of [join(folder, 'a'), join(folder, 'a', 'b')]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('makes folders of a new parent at the same time, whichever call makes the parent', async () => {
    for (const delay of [0, 1, 2, 3])
      for (let round = 0; round < 20; round++) {
        const parent = join(folder, `${delay}-${round}`);
        const first = ensureSecretFolder(join(parent, 'storage'));
        for (let i = 0; i < delay; i++) await stat(folder);
        await Promise.all([first, ensureSecretFolder(join(parent, 'pki'))]);
        expect(statSync(join(parent, 'pki')).isDirectory() && statSync(join(parent, 'storage')).isDirectory()).toBe(
          true,
        );
      }
  });

  test.runIf(process.platform === 'linux')('fails below a folder in which the system creates none', async () => {
    await expect(ensureSecretFolder('/proc/keelson/a')).rejects.toThrow(
      'cannot create the folder /proc/keelson/a: ENOENT',
    );
  });
});
