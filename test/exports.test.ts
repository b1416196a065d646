import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { packageName, ROOT } from './source-graph.ts';

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

// What importing each front door loads, transitively: packages loaded at once, and those loaded only when asked for. A new line here is
// a decision: clients and controllers must never pull in a database or a certificate library.
const LOADS: Readonly<Record<string, { readonly eager: readonly string[]; readonly lazy: readonly string[] }>> = {
  '.': { eager: ['node', 're2js'], lazy: ['lmdb'] },
  './cel': { eager: ['re2js'], lazy: [] },
  './schema': { eager: ['re2js'], lazy: [] },
  './storage': { eager: [], lazy: [] },
  './storage/memory': { eager: [], lazy: [] },
  './storage/lmdb': { eager: ['node'], lazy: ['lmdb'] },
};

function sourceOf(distFile: string): string {
  return join(ROOT, distFile.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
}

async function loads(entry: string): Promise<{ eager: string[]; lazy: string[] }> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const eager = new Set<string>();
  const lazy = new Set<string>();
  for (const input of Object.values(result.metafile.inputs)) {
    for (const imported of input.imports) {
      if (!imported.external) continue;
      const name = imported.path.startsWith('node:') ? 'node' : packageName(imported.path);
      (imported.kind === 'dynamic-import' ? lazy : eager).add(name);
    }
  }
  return { eager: [...eager].sort(), lazy: [...lazy].sort() };
}

const doors = Object.entries(manifest.exports).flatMap(([door, target]) =>
  typeof target === 'string' ? [] : [{ door, target }],
);

describe('the front doors', () => {
  it('are all listed here', () => {
    expect(doors.map(({ door }) => door).sort()).toEqual(Object.keys(LOADS).sort());
  });

  it.each(doors)('$door has a source, types beside it, and loads just what is listed', async ({ door, target }) => {
    expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    const source = sourceOf(target.default);
    expect(existsSync(source)).toBe(true);
    expect(await loads(source)).toEqual(LOADS[door]);
  });

  it('include the command', () => {
    for (const file of Object.values(manifest.bin)) expect(existsSync(sourceOf(file))).toBe(true);
  });
});
