import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { serverOptions } from '../controlplane/options.ts';
import { ensurePki } from '../pki/pki-folder.ts';
import { lockFolder } from '../storage/lmdb/folder-lock.ts';
import { examine, type Finding } from './doctor.ts';

const YEAR = 365 * 86_400_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-doctor-test-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function look(options: { port?: number; dataDir?: string; now?: number } = {}): Promise<readonly Finding[]> {
  const { port = 0, dataDir = folder, now = systemClock.now() } = options;
  return examine(serverOptions({ dataDir, serving: { port } }), now);
}

const failed = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ ok }) => !ok).map(({ what, line }) => `${what}: ${line}`);

describe('keelson doctor', () => {
  it('finds no problem on a fresh machine and creates nothing', async () => {
    const findings = await look({ dataDir: join(folder, 'a', 'b') });
    expect(failed(findings)).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual(['Node', 'clock', 'folder', 'storage', 'port', 'certificates']);
    expect(findings.find(({ what }) => what === 'folder')?.line).toContain('will be created');
  });

  it('reports that the port and the folder are in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const release = lockFolder(folder);
    try {
      const { port } = server.address() as { port: number };
      const lines = failed(await look({ port }));
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^folder: data folder .* is already open/);
      expect(lines[1]).toMatch(new RegExp(`^port: 127.0.0.1:${port} is in use by another program`));
    } finally {
      release();
      server.close();
    }
  });

  it('checks every certificate and the clock', async () => {
    await ensurePki({ folder: join(folder, 'pki'), clock: systemClock });
    expect(failed(await look())).toEqual([]);
    const later = failed(await look({ now: systemClock.now() + 2 * YEAR }));
    expect(later.map((line) => /pki\/([\w-]+)\.crt expired/.exec(line)?.[1]).sort()).toEqual([
      'admin',
      'apiserver',
      'front-proxy-client',
    ]);
    const earlier = failed(await look({ now: Date.UTC(1970, 0, 2) }));
    expect(earlier[0]).toMatch(/^clock: the clock says 1970-01-02T/);
    writeFileSync(join(folder, 'pki', 'ca.crt'), 'broken');
    expect(failed(await look())).toHaveLength(1);
  });
});
