// usage: node scripts/bundle-command.mjs OUTFILE
// Bundles the command into one file, so that it starts fast; what it imports dynamically is in the file too, but runs only when asked for.
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `outfile` stands two folders below one that holds package.json, as `dist/cli/main.js` does: the command reads its version there. */
export async function bundleCommand(outfile) {
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Packages that are written for require() need one inside an ES module bundle.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as keelsonCreateRequire } from 'node:module';\nconst require = keelsonCreateRequire(import.meta.url);",
    },
    external: ['lmdb'],
    sourcemap: true,
    allowOverwrite: true,
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand(process.argv[2]);
