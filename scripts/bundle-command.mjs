// usage: node scripts/bundle-command.mjs FOLDER
//
// Bundles the command into a folder, so that it starts fast: main.js, and one file for each part that is loaded on
// demand. The server is a file of its own (serve.cjs). serve.cache has the code that V8 compiled at a first start, so
// that later starts compile almost nothing; another version of Node ignores it. openapi-index.json and openapi-v2.json
// are the OpenAPI documents of the built-in kinds.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleLmdb } from './bundle-lmdb.mjs';
import { scriptOf } from './load-bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const LINE_LIMIT = 160;

/**
 * Parsing takes a tenth of the start time, so the code is minified. Names stay, for stack traces. Lines are short,
 * because Node prints the line of code that threw an uncaught error.
 */
export const SHARED = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: LINE_LIMIT,
  logLevel: 'warning',
};

/** A bundle that `vm.Script` can run. */
export const COMMONJS = {
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'keelsonUrl' },
  banner: { js: "const keelsonUrl = require('node:url').pathToFileURL(__filename).href;" },
};

/** The parts of the command that belong to the server. Loading one of them loads the file with the code cache. */
const SERVER_PARTS = /\/cli\/(serve|server-command-line)\.ts$/;

const loadServer = {
  name: 'load-server',
  setup({ onResolve }) {
    onResolve({ filter: /\/(serve|server-command-line)\.ts$/ }, ({ path, kind, resolveDir }) => {
      const isPart = kind === 'dynamic-import' && SERVER_PARTS.test(join(resolveDir, path));
      return isPart ? { path: join(root, 'scripts/load-server.mjs') } : undefined;
    });
  },
};

/**
 * Replaces the folder. The parent of its parent must contain package.json, as for `dist/cli`: the command reads its
 * version there.
 */
export async function bundleCommand(folder, { sourceMaps = false } = {}) {
  const shared = { ...SHARED, sourcemap: sourceMaps };
  const server = join(folder, 'serve.cjs');
  rmSync(folder, { recursive: true, force: true });
  await build({
    ...shared,
    external: ['lmdb'],
    entryPoints: [join(root, 'src/cli/main.ts')],
    outdir: folder,
    splitting: true,
    format: 'esm',
    // Packages that are written for require() need one inside an ES module bundle.
    banner: {
      js: "import { createRequire as keelsonCreateRequire } from 'node:module';\nconst require = keelsonCreateRequire(import.meta.url);",
    },
    plugins: [loadServer],
  });
  await build({
    ...shared,
    ...COMMONJS,
    plugins: [bundleLmdb],
    stdin: {
      contents: "export * from './serve.ts';\nexport * from './server-command-line.ts';",
      resolveDir: join(root, 'src/cli'),
      loader: 'ts',
    },
    outfile: server,
  });
  writeFileSync(server, scriptOf(readFileSync(server, 'utf8')));
  chmodSync(join(folder, 'main.js'), 0o755);
  for (const script of ['warm-server', 'check-cache', 'prepare-openapi']) runOnce(script, folder);
}

/** Starts the server once to produce a file of the bundle. */
function runOnce(script, folder) {
  const data = mkdtempSync(join(tmpdir(), 'keelson-warm-'));
  try {
    execFileSync(process.execPath, [join(root, 'scripts', `${script}.mjs`), folder, data], { stdio: 'pipe' });
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand(process.argv[2]);
