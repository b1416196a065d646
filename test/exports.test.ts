import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { packageName, ROOT } from './source-graph.ts';

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

// The packages that importing each entry point loads, transitively: those loaded at once, and those loaded on demand. A
// new line here is a decision: clients and controllers must never load a database or a certificate library.
const LOADS: Readonly<Record<string, { readonly eager: readonly string[]; readonly lazy: readonly string[] }>> = {
  '.': { eager: ['node', 're2js'], lazy: ['lmdb', 'node'] },
  './server': { eager: ['re2js'], lazy: [] },
  './extension': { eager: ['node', 're2js'], lazy: ['lmdb', 'node'] },
  './extension/testing': { eager: [], lazy: [] },
  './controller': { eager: [], lazy: [] },
  './webhook': { eager: ['node'], lazy: [] },
  './client': { eager: [], lazy: [] },
  './node': { eager: ['node'], lazy: [] },
  './cel': { eager: ['re2js'], lazy: [] },
  './kinds': { eager: [], lazy: [] },
  './schema': { eager: ['re2js'], lazy: [] },
  './storage': { eager: [], lazy: [] },
  './storage/memory': { eager: [], lazy: [] },
  './storage/lmdb': { eager: ['node'], lazy: ['lmdb'] },
  './kinds/*': { eager: [], lazy: [] },
};

function sourceOf(distFile: string): string {
  return join(ROOT, distFile.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
}

async function loads(entries: string[]): Promise<{ eager: string[]; lazy: string[] }> {
  const result = await build({
    entryPoints: entries,
    outdir: ROOT,
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

/** Returns the files of an entry point: one, or all that its pattern matches. */
function sourcesOf(distFile: string): string[] {
  const source = sourceOf(distFile);
  const [folder = '', ending] = source.split('*');
  if (ending === undefined) return [source];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const entryPoints = Object.entries(manifest.exports).flatMap(([entryPoint, target]) =>
  typeof target === 'string' ? [] : [{ entryPoint, target }],
);

describe('the entry points', () => {
  it('are all listed here', () => {
    expect(entryPoints.map(({ entryPoint }) => entryPoint).sort()).toEqual(Object.keys(LOADS).sort());
  });

  it.each(entryPoints)(
    '$entryPoint has a source and types, and loads only the listed packages',
    async ({ entryPoint, target }) => {
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
      const sources = sourcesOf(target.default);
      expect(sources.length).toBeGreaterThan(0);
      expect(sources.filter((source) => !existsSync(source))).toEqual([]);
      expect(await loads(sources)).toEqual(LOADS[entryPoint]);
    },
  );

  it('have a bundle for Node, and separate files for bundlers, unless they are tokens of kinds', () => {
    for (const { entryPoint, target } of entryPoints.filter(({ entryPoint }) => !entryPoint.startsWith('./kinds'))) {
      const name = entryPoint === '.' ? 'index' : entryPoint.slice('./'.length).replaceAll('/', '-');
      const node = `./dist/bundle/${name}.js`;
      // Bundlers must find `module` before `node`, which some of them set as well.
      expect(Object.entries(target).slice(1, 3)).toEqual([
        ['module', target.default],
        ['node', node],
      ]);
    }
  });

  it('of the server loads no built-in kinds, certificates, sockets or databases', async () => {
    const result = await build({
      entryPoints: [sourceOf('./dist/server/index.js')],
      bundle: true,
      format: 'esm',
      packages: 'external',
      write: false,
      metafile: true,
    });
    const layers = new Set(Object.keys(result.metafile.inputs).map((path) => path.split('/')[1]));
    expect([...layers].sort()).toEqual(['apimachinery', 'base', 'cache', 'cel', 'schema', 'server', 'storage']);
  });

  it('of kinds contain tokens and no code', async () => {
    const entries = sourcesOf('./dist/kinds/api/*.js');
    const result = await build({ entryPoints: entries, bundle: true, format: 'esm', write: false, outdir: ROOT });
    expect(result.outputFiles).toHaveLength(entries.length);
    for (const { text } of result.outputFiles) expect(text).not.toMatch(/\bimport\b|\bfunction\b|=>|\(/);
  });

  it('of kinds add nothing to a bundle for kinds that are not used', async () => {
    const result = await build({
      stdin: {
        contents: `import { Lease } from './src/kinds/api/coordination/v1.ts';\nimport { Pod } from './src/kinds/api/core/v1.ts';\nexport const plural = Lease.plural;\nexport type P = Pod;`,
        resolveDir: ROOT,
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      write: false,
      treeShaking: true,
    });
    expect(result.outputFiles[0]?.text).toContain('leases');
    expect(result.outputFiles[0]?.text).not.toContain('pods');
  });

  it('include the command', () => {
    for (const file of Object.values(manifest.bin)) expect(existsSync(sourceOf(file))).toBe(true);
  });
});
