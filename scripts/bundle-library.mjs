// usage: node scripts/bundle-library.mjs DIST
//
// Bundles the entry points of the package for Node into DIST/bundle, so that a program that imports one of them reads
// few files. Each module is in one file of the bundle, so no class exists twice. Each entry point is a small ES module
// with its names. A first start of an extension server leaves the code that V8 compiled, so that later starts compile
// almost nothing. Bundlers use the separate files instead (condition `module`).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SHARED } from './bundle-command.mjs';
import { bundleLmdb } from './bundle-lmdb.mjs';
import { commonJsOf } from './commonjs-chunk.mjs';
import { PACKED } from './library-files.mjs';
import { packOf, scriptOf } from './load-bundle.mjs';
import { loadOnCall } from './load-on-call.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Entry points that share a file, besides the files that several groups share. Programs that import one of a group
 * mostly import the others too, or would load most of their modules anyway.
 */
const GROUPS = {
  server: ['./extension', './server', './node', './storage/memory', './storage/lmdb'],
  schema: ['./cel', './schema'],
  client: ['./client', './controller', './webhook'],
  testing: ['./storage', './extension/testing'],
  index: ['.'],
};

/** Replaces DIST/bundle. The command in DIST/cli must exist: it is the parent of the server that is started once. */
export async function bundleLibrary(dist, { sourceMaps = false } = {}) {
  const folder = join(dist, 'bundle');
  rmSync(folder, { recursive: true, force: true });
  const entryPoints = bundledEntryPoints();
  await build({
    ...SHARED,
    // commonJsOf reads the imports and exports of these files, and limits the lines of what it writes.
    lineLimit: 0,
    sourcemap: sourceMaps,
    entryPoints: Object.keys(GROUPS).map((group) => ({ in: `group:${group}`, out: group })),
    plugins: [groupModules(entryPoints), bundleLmdb, loadOnCall],
    outdir: folder,
    format: 'esm',
    splitting: true,
  });
  const modules = new Map();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    const module = await commonJsOf(readFileSync(join(folder, name), 'utf8'));
    const id = `./${name.replace(/js$/, 'cjs')}`;
    modules.set(id, module);
    writeFileSync(join(folder, id), scriptOf(module.code));
    rmSync(join(folder, name));
  }
  writeFileSync(join(folder, `${PACKED}.pack`), packOf(withImports(`./${PACKED}.cjs`, modules)));
  await build({
    ...SHARED,
    entryPoints: [join(root, 'scripts/load-library.mjs')],
    outfile: join(folder, 'load-library.js'),
    format: 'esm',
  });
  const require = createRequire(import.meta.url);
  for (const { name, group, file } of entryPoints) {
    const names = Object.keys(require(join(folder, `${group}.cjs`))[name]).sort();
    const text = `import { load } from './load-library.js';\nexport const { ${names.join(', ')} } = load('${group}')['${name}'];\n`;
    writeFileSync(join(folder, basename(file)), text);
  }
  const data = mkdtempSync(join(tmpdir(), 'keelson-warm-'));
  try {
    execFileSync(process.execPath, [join(root, 'scripts/warm-library.mjs'), dist, data], { stdio: 'inherit' });
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Returns the names and texts of a file and of those that it imports, directly or not. */
function withImports(first, modules) {
  const found = new Set([first]);
  for (const id of found) for (const imported of modules.get(id).imports) found.add(imported);
  return [...found].map((id) => [id, modules.get(id).code]);
}

/** The entry points with the condition `node`: their name, their source and the file that Node loads. */
function bundledEntryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, target]) => target.node !== undefined)
    .map(([name, target]) => {
      const group = Object.keys(GROUPS).find((one) => GROUPS[one].includes(name));
      if (group === undefined)
        throw new Error(`${name} has the condition node, but scripts/bundle-library.mjs has no group for it`);
      const source = target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts');
      return { name, group, source, file: target.node };
    });
}

/** Makes a module of each group, which exports the namespaces of its entry points by their names. */
function groupModules(entryPoints) {
  return {
    name: 'group-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice('group:'.length), namespace: 'group' }));
      onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
        contents: entryPoints
          .filter(({ group }) => group === path)
          .map(({ name, source }) => `export * as ${JSON.stringify(name)} from ${JSON.stringify(source)};`)
          .join('\n'),
        resolveDir: root,
        loader: 'ts',
      }));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleLibrary(resolve(process.argv[2]));
