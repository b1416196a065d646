import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { importsOf, isTestFile, packageName, ROOT, readSources, type SourceFile, SRC } from './source-graph.ts';

interface Layers {
  readonly open: readonly string[];
  readonly layers: Readonly<Record<string, readonly string[]>>;
  readonly node: { readonly paths: readonly string[] };
  readonly packages: Readonly<Record<string, readonly string[] | string>>;
}

const rules = JSON.parse(readFileSync(join(ROOT, 'layers.json'), 'utf8')) as Layers;
const sources = readSources();
const shipped = sources.filter((file) => !isTestFile(file.path));

function layerOf(path: string): string | undefined {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined;
}

function allowedFrom(layer: string): readonly string[] {
  const at = rules.open.indexOf(layer);
  const open = at < 0 ? rules.open : rules.open.slice(0, at);
  return [layer, ...open, ...(rules.layers[layer] ?? [])];
}

function isUnder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** Returns the imports of a file that the layers do not allow. */
function layerViolations(file: SourceFile): string[] {
  const layer = layerOf(file.path);
  if (layer === undefined) return [];
  const allowed = allowedFrom(layer);
  return file.files
    .filter((target) => !allowed.includes(layerOf(target) ?? '(root)'))
    .map((target) => `src/${file.path} imports src/${target}: ${layer} may import only ${allowed.join(', ')}`);
}

function packageViolations(file: SourceFile): string[] {
  const complaints: string[] = [];
  for (const specifier of file.packages) {
    if (specifier.startsWith('node:')) {
      if (!isUnder(file.path, rules.node.paths)) {
        complaints.push(
          `src/${file.path} imports ${specifier}: only ${rules.node.paths.join(', ')} may import node: modules`,
        );
      }
      continue;
    }
    const allowed = rules.packages[packageName(specifier)];
    if (!Array.isArray(allowed) || !isUnder(file.path, allowed)) {
      complaints.push(
        `src/${file.path} imports ${specifier}: allowed only in ${Array.isArray(allowed) ? allowed.join(', ') : '(nowhere: list the package in layers.json)'}`,
      );
    }
  }
  return complaints;
}

/** Returns the paths of the first import cycle among the files. */
function findCycle(files: readonly SourceFile[]): string[] | undefined {
  const graph = new Map(files.map((file) => [file.path, file.files]));
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string[] | undefined => {
    const seen = trail.indexOf(path);
    if (seen >= 0) return [...trail.slice(seen), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const file of files) {
    const cycle = visit(file.path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function fake(path: string, files: string[], packages: string[] = []): SourceFile {
  return { path, text: '', files, packages };
}

describe('the layers', () => {
  it('list every folder of src', () => {
    const folders = new Set(sources.map((file) => layerOf(file.path)).filter((layer) => layer !== undefined));
    expect([...folders].filter((folder) => !(folder in rules.layers))).toEqual([]);
  });

  it('have no cycle', () => {
    const asFiles = Object.keys(rules.layers).map((layer) => fake(layer, allowedFrom(layer).slice(1)));
    expect(findCycle(asFiles)).toBeUndefined();
  });

  it('import only what layers.json allows', () => {
    expect(sources.flatMap(layerViolations)).toEqual([]);
  });

  it('are named in the message about an import that is not allowed', () => {
    expect(layerViolations(fake('storage/keys.ts', ['cache/watch-cache.ts']))).toEqual([
      'src/storage/keys.ts imports src/cache/watch-cache.ts: storage may import only storage, base, apimachinery',
    ]);
    expect(layerViolations(fake('base/json.ts', ['apimachinery/meta.ts']))).toHaveLength(1);
  });
});

describe('the imports', () => {
  it('keep node: modules and packages where layers.json allows them', () => {
    expect(shipped.flatMap(packageViolations)).toEqual([]);
  });

  it('of Node are refused elsewhere', () => {
    expect(packageViolations(fake('base/x.ts', [], ['node:fs']))).toHaveLength(1);
    expect(packageViolations(fake('cache/x.ts', [], ['lmdb']))).toHaveLength(1);
    expect(packageViolations(fake('cache/x.ts', [], ['left-pad']))).toHaveLength(1);
    expect(packageViolations(fake('storage/lmdb/x.ts', [], ['node:fs', 'lmdb']))).toEqual([]);
  });

  it('form no cycle between files', () => {
    expect(findCycle(sources)).toBeUndefined();
    expect(findCycle([fake('a', ['b']), fake('b', ['c']), fake('c', ['b'])])).toEqual(['b', 'c', 'b']);
  });

  it('inside src name the defining file, never an index', () => {
    const complaints = shipped.flatMap((file) =>
      file.files
        .filter((target) => /(^|\/)index\.ts$/.test(target))
        .map((target) => `src/${file.path} imports src/${target}`),
    );
    expect(complaints).toEqual([]);
  });

  it('are all found: types, side effects, re-exports and dynamic imports', () => {
    const text = `import type { A } from './a.ts';\nimport {\n  b,\n} from "./b.ts";\nimport './c.ts';\nexport { d } from './d.ts';\nconst e = await import('./e.ts');\n// import './no.ts';`;
    expect(importsOf(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });
});

describe('the portable part', () => {
  it('bundles for the browser, with its dependencies', async () => {
    // These entry points export code of Node.
    const onNode = ['index.ts', 'extension/index.ts', 'webhook/index.ts'];
    const portable = shipped
      .filter((file) => !isUnder(file.path, rules.node.paths) && !onNode.includes(file.path))
      .map((file) => join(SRC, file.path));
    expect(portable.length).toBeGreaterThan(10);
    const result = await build({
      stdin: {
        contents: portable.map((path, i) => `export * as part${i} from ${JSON.stringify(path)};`).join('\n'),
        resolveDir: ROOT,
        loader: 'ts',
      },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      write: false,
      logLevel: 'silent',
    });
    expect(result.errors).toEqual([]);
    expect(result.outputFiles[0]?.text).toContain('VirtualClock');
    expect(result.outputFiles[0]?.text).not.toMatch(/from ["']node:/);
  });
});

describe('the source files', () => {
  it('are short enough to read', () => {
    const long = shipped.filter((file) => file.text.split('\n').length > 450).map((file) => file.path);
    expect(long).toEqual([]);
  });
});
