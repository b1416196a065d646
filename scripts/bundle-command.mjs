// usage: node scripts/bundle-command.mjs FOLDER
// Bundles the command into a folder, main.js and a file for each part that is loaded only when asked for, so that it starts fast.
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Replaces the folder. It stands one below a folder whose parent holds package.json, as `dist/cli` does: the command reads its version there. */
export async function bundleCommand(folder) {
  rmSync(folder, { recursive: true, force: true });
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Parsing is a tenth of the start; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // Packages that are written for require() need one inside an ES module bundle.
    banner: {
      js: "import { createRequire as keelsonCreateRequire } from 'node:module';\nconst require = keelsonCreateRequire(import.meta.url);",
    },
    external: ['lmdb'],
    sourcemap: true,
    logLevel: 'warning',
  });
  chmodSync(join(folder, 'main.js'), 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand(process.argv[2]);
