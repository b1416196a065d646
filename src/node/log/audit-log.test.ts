import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { type AuditLogOptions, openAuditLog } from './audit-log.ts';

let folder: string;
let problems: Error[];
const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 678));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-audit-'));
  problems = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const open = (options: Partial<AuditLogOptions> = {}) =>
  openAuditLog({
    path: join(folder, 'logs', 'audit.log'),
    maxSizeMb: 1,
    maxAgeDays: 0,
    maxBackups: 0,
    compress: false,
    clock,
    onProblem: (error) => problems.push(error),
    ...options,
  });
const files = (): string[] => readdirSync(join(folder, 'logs')).sort();
const read = (name: string): string => readFileSync(join(folder, 'logs', name), 'utf8');
const line = (text: string): Uint8Array => encodeUtf8(`${text}\n`);
const HALF = 'x'.repeat(600 * 1024);

describe('an audit log', () => {
  it('appends lines to a file with mode 0600', async () => {
    const first = await open();
    first.write(line('{"a":1}'));
    await first.stop();
    const second = await open();
    second.write(line('{"a":2}'));
    await second.stop();
    expect(read('audit.log')).toBe('{"a":1}\n{"a":2}\n');
    expect(statSync(join(folder, 'logs', 'audit.log')).mode & 0o777).toBe(0o600);
    expect(problems).toEqual([]);
  });

  it('rotates before the file exceeds its size, including its content at the start', async () => {
    const log = await open();
    log.write(line(HALF));
    await log.stop();
    const again = await open();
    again.write(line(HALF));
    again.write(line('last'));
    await again.stop();
    expect(files()).toEqual(['audit-2026-01-02T03-04-05.678.log', 'audit.log']);
    expect(read('audit-2026-01-02T03-04-05.678.log') === `${HALF}\n`).toBe(true);
    expect(read('audit.log') === `${HALF}\nlast\n`).toBe(true);
  });

  it('keeps the configured number of newest rotated files', async () => {
    const log = await open({ maxBackups: 2 });
    for (const mark of ['a', 'b', 'c', 'd']) log.write(line(mark + HALF));
    await log.stop();
    expect(files().map((name) => read(name).charAt(0))).toEqual(['b', 'c', 'd']);
  });

  it('removes rotated files by age and no other files', async () => {
    const log = await open({ maxAgeDays: 7 });
    log.write(line(HALF));
    writeFileSync(join(folder, 'logs', 'audit-2025-12-01T00-00-00.000.log'), 'old');
    writeFileSync(join(folder, 'logs', 'audit-notes.log'), 'mine');
    log.write(line(HALF));
    await log.stop();
    expect(files()).toEqual(['audit-2026-01-02T03-04-05.678.log', 'audit-notes.log', 'audit.log']);
  });

  it('compresses rotated files', async () => {
    const log = await open({ compress: true });
    log.write(line(HALF));
    log.write(line(HALF));
    await log.stop();
    const packed = files().filter((name) => name.endsWith('.gz'));
    expect(packed).toHaveLength(1);
    const text = gunzipSync(readFileSync(join(folder, 'logs', packed[0] as string))).toString();
    expect(text === `${HALF}\n`).toBe(true);
  });

  it('never rotates when the size is 0', async () => {
    const log = await open({ maxSizeMb: 0 });
    log.write(line(HALF));
    log.write(line(HALF));
    await log.stop();
    expect(files()).toEqual(['audit.log']);
  });

  it('reports a path that cannot be opened as a ConfigError', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(open({ path: join(folder, 'file', 'audit.log') })).rejects.toThrow(/^--audit-log-path: cannot open /);
  });
});
