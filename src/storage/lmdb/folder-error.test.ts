import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isConfigError } from '../../base/errors.ts';
import { lockFolder } from './folder-lock.ts';
import { openLmdbStorage } from './open.ts';

const OTHER_USER = 65534;
const isRoot = process.geteuid?.() === 0;
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'keelson-access-'));
  chmodSync(parent, 0o755);
});

afterEach(() => rmSync(parent, { recursive: true }));

/** Runs a task without the rights of root, which may write everywhere. */
async function unprivileged<T>(task: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid?.(OTHER_USER);
  try {
    return await task();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

async function failure(task: () => unknown): Promise<Error> {
  return unprivileged(async () => {
    try {
      await task();
    } catch (caught) {
      return caught as Error;
    }
    return expect.fail('it did not fail');
  });
}

/** A folder of another user: root's, because every machine has one. */
function foreignFolder(): string {
  if (!isRoot) return '/';
  const folder = join(parent, 'foreign');
  mkdirSync(folder, { mode: 0o755 });
  return folder;
}

describe('a data folder that may not be used', () => {
  it('because it is read-only is one sentence', async () => {
    const folder = join(parent, 'closed');
    mkdirSync(folder);
    if (isRoot) chownSync(folder, OTHER_USER, OTHER_USER);
    chmodSync(folder, 0o500);
    for (const open of [() => lockFolder(folder), () => openLmdbStorage({ folder })]) {
      const error = await failure(open);
      expect(isConfigError(error)).toBe(true);
      expect(error.message).toMatch(/^data folder \S+closed cannot be written: EACCES: permission denied, /);
    }
    chmodSync(folder, 0o700);
  });

  it('because it belongs to another user is one sentence with both users', async () => {
    const folder = foreignFolder();
    for (const open of [() => lockFolder(folder), () => openLmdbStorage({ folder })]) {
      const error = await failure(open);
      expect(isConfigError(error)).toBe(true);
      expect(error.message).toMatch(
        /cannot be written: it belongs to the user with id 0, and this process runs as the user with id \d+; run as its owner, or choose another folder$/,
      );
    }
  });

  it('because it is a file is one sentence', async () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    const error = await failure(() => lockFolder(file));
    expect(error.message).toMatch(/^data folder \S+file is not a folder: ENOTDIR/);
  });

  it.runIf(process.platform === 'linux')('because the system makes no folders there is one sentence', async () => {
    const folder = '/proc/keelson/data';
    const error = await failure(() => openLmdbStorage({ folder }));
    expect(isConfigError(error)).toBe(true);
    expect(error.message).toMatch(
      /^data folder \/proc\/keelson\/data cannot be created: ENOENT: .*; choose another folder$/,
    );
  });
});
