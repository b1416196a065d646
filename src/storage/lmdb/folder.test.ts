import { spawnSync } from 'node:child_process';
import {
  cpSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { isConfigError } from '../../base/errors.ts';
import { isStorageError } from '../errors.ts';
import { seenAt } from '../suite/context.ts';
import { checkDataFile } from './data-file.ts';
import { openError } from './medium-error.ts';
import { openLmdbStorage } from './open.ts';
import { makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: Error) => error,
  );
}

async function filled(folder: string, keys = 200): Promise<void> {
  const storage = await openLmdbStorage({ folder });
  await Promise.all(Array.from({ length: keys }, (_, i) => storage.create(`k/${i}`, new Uint8Array(3000).fill(i))));
  await storage.stop();
}

describe('the data folder', () => {
  it('is private to its owner', async () => {
    const folder = join(makeFolder(onTestFinished), 'made', 'by-us');
    await filled(folder, 1);
    const storage = await openLmdbStorage({ folder });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of ['data.mdb', 'data.mdb-lock', 'format', 'lock']) {
      expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    await storage.stop();
  });

  it('cannot be opened twice by one process, and the first store is not affected', async () => {
    const folder = makeFolder(onTestFinished);
    const storage = await openLmdbStorage({ folder });
    const error = await rejection(openLmdbStorage({ folder }));
    expect(isConfigError(error)).toBe(true);
    expect(error.message).toContain(`pid ${process.pid}`);
    expect((await rejection(verifyFolder(folder))).message).toContain(`pid ${process.pid}`);
    expect(await storage.create('a', encodeUtf8('x'))).toMatchObject({ outcome: 'ok' });
    await storage.stop();
    await (await openLmdbStorage({ folder })).stop();
  });

  it('is not in use if it is a copy of a folder in use, and the original stays locked', async () => {
    const folder = join(makeFolder(onTestFinished), 'original');
    const storage = await openLmdbStorage({ folder });
    await storage.create('a', encodeUtf8('x'));
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    const opened = await openLmdbStorage({ folder: copy });
    expect(await opened.get('a')).toMatchObject({ outcome: 'found' });
    expect(await opened.create('b', encodeUtf8('y'))).toMatchObject({ outcome: 'ok' });
    await opened.stop();
    expect(await storage.get('b')).toMatchObject({ outcome: 'missing' });
    expect((await rejection(openLmdbStorage({ folder }))).message).toContain(`pid ${process.pid}`);
    await storage.stop();
  });

  it('stays in use if it is renamed, and if it is opened by another path', async () => {
    const folder = join(makeFolder(onTestFinished), 'original');
    const storage = await openLmdbStorage({ folder });
    symlinkSync(folder, `${folder}-link`);
    expect((await rejection(openLmdbStorage({ folder: `${folder}-link` }))).message).toContain('is already open');
    renameSync(folder, `${folder}-renamed`);
    expect((await rejection(openLmdbStorage({ folder: `${folder}-renamed` }))).message).toContain('is already open');
    renameSync(`${folder}-renamed`, folder);
    await storage.stop();
  });

  it('is taken over from an ended process, from an earlier boot, and from a reused process id', async () => {
    const folder = makeFolder(onTestFinished);
    await filled(folder, 1);
    const lock = join(folder, 'lock');
    const storage = await openLmdbStorage({ folder });
    const own = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; started: string; boot: string };
    await storage.stop();
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const stale = [JSON.stringify({ ...own, pid: gone }), '', 'not json'];
    if (own.boot !== '') stale.push(JSON.stringify({ ...own, boot: 'another' }));
    if (own.started !== '') stale.push(JSON.stringify({ ...own, started: '1' }));
    for (const content of stale) {
      writeFileSync(lock, content);
      await (await openLmdbStorage({ folder })).stop();
    }
  });

  it('of a newer format is refused, and so is a mark that is not ours', async () => {
    const folder = makeFolder(onTestFinished);
    await filled(folder, 1);
    for (const [mark, message] of [
      ['keelson storage 2\n', 'has format 2'],
      ['something else', 'not a version mark'],
    ] as const) {
      writeFileSync(join(folder, 'format'), mark);
      const error = await rejection(openLmdbStorage({ folder }));
      expect(isConfigError(error)).toBe(true);
      expect(error.message).toContain(message);
    }
    writeFileSync(join(folder, 'format'), 'keelson storage 1\n');
    await (await openLmdbStorage({ folder })).stop();
  });

  it('that was marked never opens as an empty store', async () => {
    const folder = makeFolder(onTestFinished);
    await filled(folder, 1);
    truncateSync(join(folder, 'data.mdb'), 0);
    expect(isStorageError(await rejection(openLmdbStorage({ folder })), 'Corrupt')).toBe(true);
    unlinkSync(join(folder, 'data.mdb'));
    const error = await rejection(openLmdbStorage({ folder }));
    expect(isStorageError(error, 'Corrupt')).toBe(true);
    expect(error.message).toContain('data.mdb');
  });

  it('with a truncated file is refused at every length, before LMDB maps it', async () => {
    const folder = makeFolder(onTestFinished);
    await filled(folder);
    const file = join(folder, 'data.mdb');
    const whole = readFileSync(file);
    checkDataFile(file);
    for (let size = whole.length - 4096; size > 0; size -= 4096 * 25 + 123) {
      writeFileSync(file, whole.subarray(0, size));
      const error = await rejection(openLmdbStorage({ folder }));
      expect([size, isStorageError(error, 'Corrupt')]).toEqual([size, true]);
    }
    writeFileSync(file, whole);
    expect((await verifyFolder(folder)).problems).toEqual([]);
  });

  it('may have a shorter file if only free pages are missing', async () => {
    const folder = makeFolder(onTestFinished);
    const storage = await openLmdbStorage({ folder, retention: { bytes: 0 } });
    await storage.create('small', encodeUtf8('x'));
    const big = await storage.create('big', new Uint8Array(1_000_000));
    await storage.compareAndWrite('big', seenAt(big.revision), encodeUtf8('x'));
    // Pruning frees the megabyte, which lies at the end of the file; a few commits more and no meta page refers to it.
    for (let i = 0; i < 5; i++) await storage.create(`more/${i}`, encodeUtf8('x'));
    await storage.stop();
    const file = join(folder, 'data.mdb');
    truncateSync(file, statSync(file).size - 400_000);
    const again = await openLmdbStorage({ folder });
    expect(await again.get('small')).toMatchObject({ outcome: 'found' });
    await again.stop();
    expect((await verifyFolder(folder)).problems).toEqual([]);
  });

  it('that cannot be created or written is a ConfigError with its path', async () => {
    const folder = makeFolder(onTestFinished);
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      const error = await rejection(openLmdbStorage({ folder: path }));
      expect(isConfigError(error)).toBe(true);
      expect(error.message).toContain(path);
    }
    for (const code of ['EROFS', 'EACCES', 'EPERM']) {
      const error = openError(Object.assign(new Error('no'), { code }), '/data');
      expect(isConfigError(error)).toBe(true);
      expect(error.message).toContain('/data cannot be written');
    }
    expect(isStorageError(openError(Object.assign(new Error('no'), { code: 'ENOSPC' }), '/data'), 'NoSpace')).toBe(
      true,
    );
  });

  it('must exist to be verified', async () => {
    const folder = makeFolder(onTestFinished);
    expect(isConfigError(await rejection(verifyFolder(join(folder, 'none'))))).toBe(true);
    expect(isConfigError(await rejection(verifyFolder(folder)))).toBe(true);
  });
});
