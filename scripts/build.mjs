// Builds dist/: tsc writes the library (js and d.ts, file by file), esbuild bundles the command so that it starts fast.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
const command = join(root, 'dist/cli/main.js');
await build({
  entryPoints: [join(root, 'src/cli/main.ts')],
  outfile: command,
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
chmodSync(command, 0o755);
