/** The LMDB driver with other processes, and on a file that cannot grow. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/storage/lmdb/database.ts';
import { openLmdbStorage, verifyFolder } from '../../src/storage/lmdb/index.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const script = join(root, '.cache', 'run', 'test', 'process', 'lmdb-child.mjs');
let folder: string;

beforeAll(() => {
  // Inside the checkout, so that the child finds the lmdb package.
  buildSync({
    entryPoints: [join(root, 'test', 'process', 'lmdb-child.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
  });
  folder = mkdtempSync(join(root, '.cache', 'lmdb-process-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the first line that the child prints. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('exit', () => resolve(text.trim()));
  });
}

function exited(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.on('exit', resolve));
}

describe('the LMDB driver and other processes', () => {
  it('is refused with the pid while another process holds the folder, and opens after that process was killed', async () => {
    const path = join(folder, 'held');
    const child = spawn(process.execPath, [script, 'hold', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const end = exited(child);
    expect(await firstLine(child)).toBe('holding');
    await expect(openLmdbStorage({ folder: path })).rejects.toThrow(`in use by process ${child.pid}`);
    await expect(verifyFolder(path)).rejects.toThrow(`in use by process ${child.pid}`);
    child.kill('SIGKILL');
    await end;
    const storage = await openLmdbStorage({ folder: path });
    expect(await storage.get('held')).toMatchObject({ outcome: 'found' });
    await storage.stop();
  });

  it('frees the pages that a killed reader, such as a backup, has pinned', async () => {
    const path = join(folder, 'read');
    await (await openLmdbStorage({ folder: path })).stop();
    const database = await Database.open(join(path, 'data.mdb'));
    const child = spawn(process.execPath, [script, 'read', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const end = exited(child);
    expect(await firstLine(child)).toBe('reading');
    expect(database.freeDeadReaders()).toBe(0);
    child.kill('SIGKILL');
    await end;
    expect(database.freeDeadReaders()).toBe(1);
    await database.close();
  });

  // A limit of the file size makes LMDB's writes fail as a full disk does.
  it.skipIf(process.platform === 'win32')(
    'answers NoSpace when the file cannot grow, and loses no acknowledged write',
    async () => {
      const path = join(folder, 'full');
      // In blocks of 512 or 1024 bytes, depending on the shell. If SIGXFSZ is ignored, the write fails with an error.
      const child = spawn(
        'sh',
        ['-c', `trap '' XFSZ; ulimit -f 4000; exec "$0" "$@"`, process.execPath, script, 'fill', path],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let printed = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        printed += String(chunk);
      });
      const end = exited(child);
      const report = JSON.parse(await firstLine(child)) as {
        acknowledged: number;
        code: string;
        revision: number;
        readable: number;
        afterwards: string;
      };
      expect(report.code).toBe('NoSpace');
      expect(report.acknowledged).toBeGreaterThan(100);
      expect(report.revision).toBe(1 + report.acknowledged);
      expect(report.readable).toBe(report.acknowledged);
      expect(report.afterwards).toBe('NoSpace');
      await end;
      expect(printed).toBe('');
      const { problems, keys } = await verifyFolder(path);
      expect([problems, keys]).toEqual([[], report.acknowledged]);
    },
  );
});
