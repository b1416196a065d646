import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { openLmdbStorage } from '../storage/lmdb/open.ts';
import { runCommand } from './program.ts';

let output: string[];
let complaints: string[];

beforeEach(() => {
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void complaints.push(String(line)));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => complaints.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe('keelson', () => {
  it('prints its version', async () => {
    expect(await runCommand(['version'])).toBe(0);
    expect(output.join('')).toMatch(/^keelson \d+\.\d+\.\d+ \(node /);
  });

  it('prints help and exits 0, with --help and with no argument', async () => {
    expect(await runCommand(['--help'])).toBe(0);
    expect(await runCommand([])).toBe(0);
    expect(output.filter((text) => text.includes('Usage: keelson'))).toHaveLength(2);
  });

  it('refuses what it does not know with 2', async () => {
    expect(await runCommand(['sail'])).toBe(2);
    expect(await runCommand(['storage', 'verify'])).toBe(2);
    expect(complaints.join('')).toContain("missing required argument 'folder'");
  });

  it('verifies a data folder and says in one sentence when there is none', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
    try {
      const folder = join(parent, 'data');
      const storage = await openLmdbStorage({ folder });
      await storage.create('a/b', encodeUtf8('{}'));
      await storage.stop();
      expect(await runCommand(['storage', 'verify', folder])).toBe(0);
      expect(output.at(-1)).toBe('revision 2, 1 keys, 1 records, 0 problems');
      expect(await runCommand(['storage', 'verify', join(parent, 'absent')])).toBe(2);
      expect(complaints.at(-1)).toMatch(/^keelson: data folder .* does not exist$/);
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
