import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startChild } from '../../compat/peers/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-child-'));
afterAll(() => rmSync(folder, { recursive: true }));
const log = join(folder, 'log');

describe('startChild', () => {
  it('says that the program does not exist', () => {
    const program = join(folder, 'absent');
    expect(() => startChild(program, [], log)).toThrow(`${program} cannot be started: the file does not exist`);
    expect(() => startChild('keelson-absent', [], log)).toThrow('no folder of PATH has such a program');
  });

  it('says that the program is not executable', () => {
    const program = join(folder, 'text');
    writeFileSync(program, '', { mode: 0o644 });
    expect(() => startChild(program, [], log)).toThrow(`${program} is not executable`);
  });

  it('says that the folder does not exist', () => {
    const cwd = join(folder, 'nowhere');
    expect(() => startChild(process.execPath, [], log, { cwd })).toThrow(`the folder ${cwd} does not exist`);
  });

  it('returns a child that ends', async () => {
    const child = startChild(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], log);
    await child.stop();
    expect(child.ended()).toBe('signal SIGTERM');
  });
});
