import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isConfigError } from '../../base/errors.ts';
import { nodePlatform } from './node-platform.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-platform-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function failure(folder: string): Promise<Error> {
  return nodePlatform.lockFolder(folder).then(
    () => expect.fail('it did not fail'),
    (error: Error) => error,
  );
}

it('creates a data folder with its parents, private to their owner', async () => {
  const parent = join(temporaryFolder(), 'a');
  const release = await nodePlatform.lockFolder(join(parent, 'b'));
  release();
  for (const folder of [parent, join(parent, 'b')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it.runIf(process.platform === 'linux')('names the flag if the data folder cannot be created', async () => {
  const error = await failure('/proc/keelson/data');
  expect(isConfigError(error)).toBe(true);
  expect(error.message).toBe(
    "cannot create the folder /proc/keelson/data: ENOENT: no such file or directory, mkdir '/proc/keelson'; choose another data folder with --data-dir",
  );
});

it('names the flag if a parent of the data folder is a file', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect((await failure(join(file, 'data'))).message).toMatch(
    /^cannot create the folder \S+data: ENOTDIR: .*; choose another data folder with --data-dir$/,
  );
});
